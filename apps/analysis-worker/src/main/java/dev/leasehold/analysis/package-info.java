/**
 * The analysis worker: analyses texts once each, however often a task is delivered. {@link dev.leasehold.analysis.Main}
 * starts it; {@link dev.leasehold.analysis.AnalysisTasks} does a task; {@link dev.leasehold.analysis.AnalysisStore} is all
 * that depends on where the records are kept.
 */
@NullMarked
package dev.leasehold.analysis;

import org.jspecify.annotations.NullMarked;
