# The image of datapi: the page, the program with the verbs engine, and nothing that builds them.
# Its steps are those of scripts/image-steps, which `make lint` runs without an image engine.

FROM node:20.20.2-bookworm-slim AS page
WORKDIR /src
COPY web web
COPY scripts/image-steps scripts/image-steps
RUN scripts/image-steps page

FROM golang:1.26.8-bookworm AS program
RUN apt-get update -q && apt-get install -q -y --no-install-recommends libibverbs-dev librdmacm-dev pkg-config
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY docs docs
COPY internal internal
COPY migrations migrations
COPY scripts/image-steps scripts/image-steps
COPY web/*.go web/
COPY --from=page /src/web/dist web/dist
ARG VERSION=unknown
RUN scripts/image-steps program

# What makes a soft-RoCE device on the host; only the profile `rxe` of docker-compose.yml runs it, once.
FROM debian:bookworm-slim AS rxe
RUN apt-get update -q && apt-get install -q -y --no-install-recommends iproute2 kmod && rm -rf /var/lib/apt/lists/*
COPY scripts/rxe-device /usr/local/bin/rxe-device
ENTRYPOINT ["/usr/local/bin/rxe-device"]

FROM debian:bookworm-slim AS datapi
RUN apt-get update -q \
 && apt-get install -q -y --no-install-recommends ca-certificates ibverbs-providers libibverbs1 librdmacm1 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /var/lib/datapi --shell /usr/sbin/nologin datapi \
 && install -d -o datapi -g datapi -m 0711 /var/lib/datapi
COPY --from=program /src/bin/datapi /usr/local/bin/datapi
USER 10001
VOLUME /var/lib/datapi
EXPOSE 8480
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/datapi"]
CMD ["serve", "--data-dir=/var/lib/datapi"]
