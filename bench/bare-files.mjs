/** The limit of reading a file: `node:http` that streams one of a given size from a disk, with its length and type. */
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readInput, serveUntilAsked } from './child.mjs';

const { size } = readInput();
const folder = mkdtempSync(join(tmpdir(), 'lintel-bare-'));
const path = join(folder, 'file');
writeFileSync(path, Buffer.alloc(size));
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' });
  createReadStream(path).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const close = async () => {
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  };
  serveUntilAsked({ base }, close);
});
