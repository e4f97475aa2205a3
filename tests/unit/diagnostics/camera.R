# camera of limma for the values, design, contrast and sets in the folder of the
# first argument. Writes expected.tsv there: a row per test and set.
folder <- commandArgs(trailingOnly = TRUE)[1]
suppressMessages(library(limma))
table_of <- function(name) as.matrix(read.table(file.path(folder, name), sep = "\t"))
values <- table_of("values.tsv")
design <- table_of("design.tsv")
contrast <- as.vector(table_of("contrast.tsv"))
lines <- strsplit(readLines(file.path(folder, "sets.tsv")), "\t")
sets <- lapply(lines, function(line) as.integer(line) + 1L)
names(sets) <- seq_along(sets)
results <- list(
  estimated = camera(values, sets, design, contrast, inter.gene.cor = NA, sort = FALSE),
  trend = camera(values, sets, design, contrast, inter.gene.cor = NA, trend.var = TRUE,
                 sort = FALSE)
)
rows <- lapply(names(results), function(name) {
  found <- results[[name]]
  data.frame(test = name, set = seq_along(sets) - 1L, size = found$NGenes,
             correlation = found$Correlation, higher = found$Direction == "Up", p = found$PValue,
             fdr = found$FDR)
})
write.table(do.call(rbind, lapply(rows, format, digits = 15)), file.path(folder, "expected.tsv"),
            sep = "\t", row.names = FALSE, quote = FALSE)
