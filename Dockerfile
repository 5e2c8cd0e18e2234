# One image for the service and the page. CPU by default; for a GPU:  docker build --build-arg ACCEL=gpu .
FROM python:3.11-slim-bookworm AS base
ARG ACCEL=cpu
# vLLM's CPU build links libnuma and asks lscpu (util-linux) for the cores; its GPU build compiles kernels at start.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libnuma1 util-linux $([ "$ACCEL" = gpu ] && echo gcc libc6-dev) \
    && rm -rf /var/lib/apt/lists/*

FROM base AS build
ARG ACCEL
WORKDIR /src
# The user of the finished image cannot write here, so the byte code is made now.
ENV VENV=/opt/daogou UV_COMPILE_BYTECODE=1 UV_NO_CACHE=1 PIP_NO_CACHE_DIR=1
# The locked packages in a layer of their own: a change of the code does not install them again.
COPY requirements/ requirements/
RUN requirements/install.sh "$ACCEL"
COPY pyproject.toml README.md LICENSE ./
COPY app/ app/
COPY serving/ serving/
COPY retrieval/ retrieval/
COPY ui_assets/ ui_assets/
COPY benchmarks/ benchmarks/
RUN VIRTUAL_ENV=$VENV $VENV/bin/uv pip install --no-deps .

FROM base
RUN useradd --uid 10001 --home-dir /data --shell /usr/sbin/nologin daogou \
    && install -d -o daogou -g daogou /data
COPY --from=build /opt/daogou /opt/daogou
ENV PATH=/opt/daogou/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DAOGOU_HOME=/data \
    HF_HOME=/data/huggingface \
    DAOGOU_API_HOST=0.0.0.0 \
    DAOGOU_UI_HOST=0.0.0.0
USER daogou
WORKDIR /data
VOLUME /data
EXPOSE 8000 7860
STOPSIGNAL SIGTERM
# Alive, not warm: an orchestrator that wants to know whether the models are loaded asks /readyz.
HEALTHCHECK --interval=15s --timeout=5s --start-period=180s --retries=4 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["daogou"]
CMD ["serve"]
