"""One thread for BLAS, set before NumPy is imported. `DPSDA_BLAS_THREADS` asks for more."""

import os

COUNT = os.environ.get("DPSDA_BLAS_THREADS", "1")
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[name] = COUNT
