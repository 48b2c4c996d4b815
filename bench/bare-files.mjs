/**
 * Baseline for reading files: `node:http` streams a file of the given size from disk, with length and type. `/7` is the eighth of `count`
 * files.
 */
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readInput, serveUntilAsked } from './child.mjs';

const { size, count = 1 } = readInput();
const folder = mkdtempSync(join(tmpdir(), 'lintel-bare-'));
for (let file = 0; file < count; file += 1) writeFileSync(join(folder, String(file)), Buffer.alloc(size));
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' });
  createReadStream(join(folder, request.url)).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const close = async () => {
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  };
  serveUntilAsked({ base }, close);
});
