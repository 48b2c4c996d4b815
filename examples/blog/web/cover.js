import { sendFile } from './api.js';
import { byId } from './page.js';
import { coverOf } from './cover-image.js';

/** Limits of the field in schemas/blog.json, to check them before the upload. The server checks them again. */
const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'];
const MAX_SIZE = 5_000_000;
const KINDS = 'JPEG, PNG, WebP, GIF or AVIF';
/** File id of the selected cover. Undefined keeps the current cover, null removes it. */
let chosen;
/** The running upload, or null. */
let upload = null;

byId('cover').addEventListener('change', () => void take(byId('cover').files[0]));
byId('cover-stop').addEventListener('click', () => upload?.stop());
byId('cover-remove').addEventListener('click', () => {
  chosen = null;
  show(null);
  refuse('');
  byId('cover').focus();
});

/** Shows the cover of an existing post. */
export function showCover(post) {
  byId('cover-alt').value = post.cover_alt ?? '';
  show(coverOf(post, 'card'));
}

/** Waits for the upload, and returns the fields to write. Without `cover`, the current cover is kept. */
export async function writtenCover() {
  await upload?.done.catch((error) => {
    throw Object.assign(error, { faults: [{ field: 'cover', message: messageOf(error).replace(/\.$/, '') }] });
  });
  const alt = byId('cover-alt').value.trim() || null;
  return { ...(chosen === undefined ? {} : { cover: chosen }), cover_alt: byId('cover-shown').hidden ? null : alt };
}

/** Uploads and shows a file. Saving the post links it in place of the current cover. */
async function take(file) {
  if (file === undefined) return;
  upload?.stop();
  const fault = faultOf(file);
  if (fault !== null) return refuse(fault);
  refuse('');
  const own = (upload = sendFile(file, (share) => (byId('cover-progress').value = share)));
  byId('cover-progress').value = 0;
  byId('cover-sending').hidden = false;
  byId('cover-status').textContent = 'Uploading…';
  try {
    chosen = (await own.done).id;
    showFile(file);
    byId('cover-status').textContent = 'Uploaded. Save the post to use this cover.';
  } catch (error) {
    if (upload === own) refuse(messageOf(error));
  } finally {
    if (upload === own) {
      upload = null;
      byId('cover-sending').hidden = true;
      byId('cover').value = '';
    }
  }
}

/** Checks type and size before the upload. */
function faultOf({ type, size }) {
  if (!TYPES.includes(type)) return `This file type is not supported. Use ${KINDS}.`;
  return size > MAX_SIZE ? `This file is too large (${megabytes(size)}). The limit is ${megabytes(MAX_SIZE)}.` : null;
}

/** Returns a message for authors. */
function messageOf({ status, message, data }) {
  if (status === 413)
    return `This file is too large.${data?.max_size ? ` The limit is ${megabytes(data.max_size)}.` : ''} Use a smaller image.`;
  if (status === 415 || status === 422) return `This file is not an image, or it is damaged. Use ${KINDS}.`;
  if (status === 507)
    return 'Your storage is full. Remove covers of older posts. Their storage is available one day later.';
  if (status === 403) return 'You are not allowed to upload images.';
  return message;
}

function megabytes(bytes) {
  return `${Math.ceil(bytes / 10_000) / 100} MB`;
}

function refuse(text) {
  byId('cover-status').textContent = '';
  byId('cover-fault').textContent = text;
  if (text === '') byId('cover').removeAttribute('aria-invalid');
  else byId('cover').setAttribute('aria-invalid', 'true');
}

function showFile(file) {
  const address = URL.createObjectURL(file);
  const image = Object.assign(new Image(), { src: address, alt: '' });
  image.addEventListener('load', () => URL.revokeObjectURL(address));
  show(image);
}

/** @param {Node | null} image */
function show(image) {
  byId('cover-shown').hidden = image === null;
  byId('cover-image').replaceChildren(...(image === null ? [] : [image]));
}
