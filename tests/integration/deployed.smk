configfile: "config/config.yaml"


module xnbflow:
    snakefile:
        {snakefile}
    config:
        config


use rule * from xnbflow
