const { execFileSync } = require('node:child_process');
const { cpSync } = require('node:fs');

module.exports = {
  /** Copies a cluster with owners and permissions, which PostgreSQL checks. */
  copyCluster(from, to) {
    if (process.platform === 'win32') cpSync(from, to, { recursive: true });
    else execFileSync('cp', ['-Rp', from, to]);
  },
};
