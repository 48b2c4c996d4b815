/**
 * Resizes images with the library named by the first argument, in a separate process: a crash or excessive memory use affects only this
 * process. It receives the bytes of one image at a time on standard input. It has no secrets: its environment is empty, and it opens no
 * files or connections.
 */
import { setPriority } from 'node:os';
import { setInterval } from 'node:timers';

/** Null if the library is not installed. The parent process is notified. */
const sharp = await import(process.argv[2] ?? '').then(
  ({ default: made }) => made,
  (error) => {
    process.send({ kind: 'missing', detail: String(error?.message ?? error).slice(0, 500) }, () => process.exit(0));
    return null;
  },
);

/** Maximum resident memory in bytes; the process exits above it. Checked every `POLL_MS`. */
const MOST_MEMORY = 512 * 1_048_576;
const LOOK_EVERY_MS = 20;
const FORMATS = new Set(['jpeg', 'png', 'webp', 'gif', 'heif']);
const ENCODERS = {
  jpeg: (image) => image.flatten({ background: '#ffffff' }).jpeg({ quality: 80, mozjpeg: false }),
  png: (image) => image.png({ compressionLevel: 8 }),
  webp: (image) => image.webp({ quality: 80, effort: 3 }),
  avif: (image) => image.avif({ quality: 55, effort: 2 }),
};

/** The current task. Its bytes may arrive before its message. */
let task = null;
const parts = [];

if (sharp !== null) {
  sharp.cache(false);
  sharp.concurrency(1);
  // Only decoders of accepted formats are enabled, because the library selects the decoder by the bytes.
  sharp.block({ operation: ['VipsForeignLoad'] });
  const decoders = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((name) => `VipsForeignLoad${name}Buffer`);
  sharp.unblock({ operation: decoders });
  setInterval(() => {
    if (process.memoryUsage.rss() > MOST_MEMORY) process.exit(3);
  }, LOOK_EVERY_MS).unref();
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    task = { ...message, bytes: Buffer.allocUnsafe(message.length), filled: 0 };
    take();
  });
  process.stdin.on('data', (part) => {
    parts.push(part);
    take();
  });
  // Requests have priority over image processing.
  setPriority(10);
  process.send({ kind: 'ready' });
}

/** Collects received bytes, and resizes the image when it is complete. */
function take() {
  if (task === null) return;
  for (const part of parts.splice(0)) task.filled += part.copy(task.bytes, task.filled);
  if (task.filled < task.length) return;
  const whole = task;
  task = null;
  make(whole).then(
    (made) => process.send({ kind: 'made', ...made }),
    (error) => process.send({ kind: 'invalid', detail: String(error?.message ?? error).slice(0, 500) }),
  );
}

/** Resizes an image. The pixel limit includes all frames, because each frame is decoded to read the metadata. */
async function make({ bytes, format, width, height, fit, mostPixels, timeoutSeconds }) {
  const limits = { limitInputPixels: mostPixels, failOn: 'error', animated: false };
  const known = await sharp(bytes, limits).metadata();
  const { width: wide, height: high } = known.autoOrient;
  if (!FORMATS.has(known.format) || wide * high * (known.pages ?? 1) > mostPixels)
    throw new Error('The image is of another kind, or too large.');
  const box = { width, height, fit: fit ?? 'inside', withoutEnlargement: true };
  const image = sharp(bytes, limits).timeout({ seconds: timeoutSeconds }).autoOrient().resize(box);
  const encoded = format ?? (known.hasAlpha || known.format === 'gif' || known.format === 'png' ? 'png' : 'jpeg');
  const { data } = await ENCODERS[encoded](image).toBuffer({ resolveWithObject: true });
  return { bytes: data, format: encoded, original: { width: wide, height: high } };
}
