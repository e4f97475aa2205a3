
# -- The values ----------------------------------------------------------------------------------

file <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(file)) file <- paste0(dataset, ".gct")
values <- read.delim(file, skip = 2, row.names = 1, check.names = FALSE, quote = "",
                     comment.char = "", na.strings = "")
values <- as.matrix(values[, -1])[, as.character(samples$sample)]

sizes <- NULL
if (counts) {
  # Features with enough reads, TMM factors, and effective library sizes.
  reads <- edgeR::DGEList(values)
  keep <- edgeR::filterByExpr(reads, group = samples$class)
  if (!any(keep)) keep[] <- TRUE
  reads <- edgeR::calcNormFactors(reads[keep, , keep.lib.sizes = FALSE])
  sizes <- reads$samples$lib.size * reads$samples$norm.factors
  values <- if (voom_weights) reads$counts else edgeR::cpm(reads, log = TRUE, prior.count = 2)
} else {
  # Features that vary.
  values <- values[apply(values, 1, function(x) diff(range(x, na.rm = TRUE)) > 0), ]
}

# -- The model -----------------------------------------------------------------------------------

# Each contrast is a coefficient of the design (contrastAsCoef): contrasts.fit approximates the
# standard errors where values are weighted or missing.
compare <- function(values, design, contrasts, sizes, weights = NULL, block = NULL) {
  decomposed <- qr(design)
  independent <- sort(decomposed$pivot[seq_len(decomposed$rank)])
  n_columns <- ncol(design)
  design <- design[, independent]
  if (counts && voom_weights) {
    values <- voom(values, design, lib.size = sizes)
    if (!is.null(weights)) values$weights <- t(t(values$weights) * weights)
    weights <- values$weights
  }
  correlation <- NULL
  if (!is.null(block)) {
    correlation <- duplicateCorrelation(values, design, block = block)$consensus.correlation
  }
  tables <- lapply(names(contrasts), function(name) {
    contrast <- numeric(n_columns)
    contrast[seq_along(classes)] <- contrasts[[name]]
    recoded <- contrastAsCoef(design, contrast[independent])
    fit <- lmFit(values, recoded$design, weights = weights, block = block,
                 correlation = correlation)
    fit <- eBayes(fit, trend = trend)
    coefficient <- recoded$coef[1]
    top <- topTable(fit, coef = coefficient, number = Inf, sort.by = "none", confint = TRUE)
    data.frame(feature = rownames(fit), comparison = name, difference = factor_log2 * top$logFC,
               lower = factor_log2 * top$CI.L, upper = factor_log2 * top$CI.R, mean = top$AveExpr,
               t = top$t, p = top$P.Value, fdr = top$adj.P.Val, df = fit$df.total)
  })
  do.call(rbind, tables)
}

# Means of the samples of a unit with a value; a unit of several classes needs all of them.
means_of_units <- function(values, weights, complete) {
  present <- !is.na(values)
  share <- present %*% weights
  units <- (ifelse(present, values, 0) %*% weights) / share
  units[share < ifelse(complete, 1 - 1e-9, 1e-9)[col(share)]] <- NA
  units
}

tables <- list()

