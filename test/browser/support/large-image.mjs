import { crc32 } from 'node:zlib';

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const END_BYTES = 12;

/** Returns an image of one dot with a comment of a length in bytes, so that the upload takes time (PNG, section 11.3.4.3). */
export function largeImage(bytes) {
  const chunk = Buffer.concat([Buffer.from('tEXtComment\0'), Buffer.alloc(bytes, 'x')]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(chunk.length - 4);
  sum.writeUInt32BE(crc32(chunk));
  return Buffer.concat([DOT.subarray(0, -END_BYTES), length, chunk, sum, DOT.subarray(-END_BYTES)]);
}

/** Throttles the upload until the progress bar shows a part, and returns that value. */
export async function partWhile(page, send, bar) {
  const network = await page.context().newCDPSession(page);
  const throttle = (uploadThroughput) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await network.send('Network.enable');
  await throttle(50_000);
  await send();
  await bar.waitFor();
  const part = await page.waitForFunction(
    (element) => (element.value > 0 && element.value < 1 ? element.value : null),
    await bar.elementHandle(),
  );
  await throttle(-1);
  await network.detach();
  return part.jsonValue();
}
