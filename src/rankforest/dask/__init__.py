"""The same estimators and metrics on a Dask cluster: rows in partitions, the same model file as a local fit."""
