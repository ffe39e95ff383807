/**
 * What `npm run test:upgrade` upgrades from: the version, and the commit that named it in CHANGELOG.md. A commit, since tags do not
 * travel with every clone. CONTRIBUTING.md says when it changes.
 */
export const LAST_RELEASE = { name: '0.1.0', commit: 'b9577bf1f5652af0bdb6ca625e926b8f4abb86fb' };
