/**
 * Makes smaller pictures by the library that its first argument names, in a process of its own: what breaks here, or takes too much,
 * ends nothing else. It is sent the bytes of one picture at a time by its standard input, and holds no secret: it has no environment,
 * and opens no file and no connection.
 */
import { setPriority } from 'node:os';
import { setInterval } from 'node:timers';

/** Null if the library is not there, which is said. */
const sharp = await import(process.argv[2] ?? '').then(
  ({ default: made }) => made,
  (error) => {
    process.send({ kind: 'missing', detail: String(error?.message ?? error).slice(0, 500) }, () => process.exit(0));
    return null;
  },
);

/** Resident memory above which the process ends itself, in bytes; it is looked at this often, in milliseconds. */
const MOST_MEMORY = 512 * 1_048_576;
const LOOK_EVERY_MS = 20;
const FORMATS = new Set(['jpeg', 'png', 'webp', 'gif', 'heif']);
const ENCODERS = {
  jpeg: (image) => image.flatten({ background: '#ffffff' }).jpeg({ quality: 80, mozjpeg: false }),
  png: (image) => image.png({ compressionLevel: 8 }),
  webp: (image) => image.webp({ quality: 80, effort: 3 }),
  avif: (image) => image.avif({ quality: 55, effort: 2 }),
};

/** Picture that is to be made; its bytes may arrive before the message that tells of it. */
let task = null;
const parts = [];

if (sharp !== null) {
  sharp.cache(false);
  sharp.concurrency(1);
  // Decoders of what is taken, and no others: the bytes choose.
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
  // Whoever serves goes before.
  setPriority(10);
  process.send({ kind: 'ready' });
}

/** Puts bytes that have arrived in their place, and makes the picture when all are there. */
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

/** Makes a picture. The pixels of all its frames count: each of them is decoded to know the picture. */
async function make({ bytes, format, width, height, fit, mostPixels, timeoutSeconds }) {
  const limits = { limitInputPixels: mostPixels, failOn: 'error', animated: false };
  const known = await sharp(bytes, limits).metadata();
  const { width: wide, height: high } = known.autoOrient;
  if (!FORMATS.has(known.format) || wide * high * (known.pages ?? 1) > mostPixels)
    throw new Error('The picture is of another kind, or too large.');
  const box = { width, height, fit: fit ?? 'inside', withoutEnlargement: true };
  const image = sharp(bytes, limits).timeout({ seconds: timeoutSeconds }).autoOrient().resize(box);
  const encoded = format ?? (known.hasAlpha || known.format === 'gif' || known.format === 'png' ? 'png' : 'jpeg');
  const { data } = await ENCODERS[encoded](image).toBuffer({ resolveWithObject: true });
  return { bytes: data, format: encoded, original: { width: wide, height: high } };
}
