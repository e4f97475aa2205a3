# An image of the workflow with what requirements.lock resolved. Neither built nor run by those who wrote it: they had
# no container engine. docker build -t xnbflow . && docker run --rm -v "$PWD":/work xnbflow --cores 4 demo
FROM python:3.12-slim-bookworm

WORKDIR /opt/xnbflow
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . ./
RUN pip install --no-cache-dir --no-deps --no-build-isolation -e .

# Compiled kernels: a folder that any user of the container can write.
ENV NUMBA_CACHE_DIR=/tmp/xnbflow
WORKDIR /work
ENTRYPOINT ["snakemake", "--snakefile", "/opt/xnbflow/Snakefile"]
CMD ["--cores", "all", "demo"]
