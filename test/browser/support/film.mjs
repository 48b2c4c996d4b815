/** Creates a film (WebM, VP8) in a browser: noise, so that it is large, and a shade of grey in the corner that shows the second. */

const WIDTH = 320;
const HEIGHT = 240;
const SECOND_MS = 1_000;

/** Creates a film with one frame per second, on a page of a secure origin. */
export async function makeFilm(page, seconds) {
  const frames = await page.evaluate(encodeFrames, { seconds, width: WIDTH, height: HEIGHT });
  return muxed(frames.map((frame) => Buffer.from(frame, 'base64')));
}

async function encodeFrames({ seconds, width, height }) {
  const frames = [];
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      frames.push(btoa(text));
    },
    error: (error) => frames.push(`error: ${error.message}`),
  });
  encoder.configure({ codec: 'vp8', width, height, bitrate: 20_000_000, framerate: 1 });
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  for (let second = 0; second < seconds; second += 1) {
    const picture = context.createImageData(width, height);
    for (let at = 0; at < picture.data.length; at += 1) picture.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    context.putImageData(picture, 0, 0);
    context.fillStyle = `hsl(0 0% ${(second * 100) / seconds}%)`;
    context.fillRect(0, 0, width / 2, height / 2);
    const frame = new VideoFrame(canvas, { timestamp: second * 1_000_000, duration: 1_000_000 });
    encoder.encode(frame, { keyFrame: true });
    frame.close();
    if (encoder.encodeQueueSize > 5) await encoder.flush();
  }
  await encoder.flush();
  return frames;
}

/** Combines frames into a file with an index (Matroska, RFC 9559). The index is in front, so one read is enough to find it. */
function muxed(frames) {
  const info = element('1549a966', [
    element('2ad7b1', uint(1_000_000)),
    element('4489', double(frames.length * SECOND_MS)),
    element('4d80', Buffer.from('test')),
    element('5741', Buffer.from('test')),
  ]);
  const video = element('e0', [element('b0', uint(WIDTH)), element('ba', uint(HEIGHT))]);
  const track = [
    element('d7', uint(1)),
    element('73c5', uint(1)),
    element('9c', uint(0)),
    element('86', Buffer.from('V_VP8')),
    element('83', uint(1)),
    video,
  ];
  const tracks = element('1654ae6b', [element('ae', track)]);
  const clusters = frames.map((frame, second) =>
    element('1f43b675', [
      element('e7', uint(second * SECOND_MS, 4)),
      element('a3', [Buffer.from([0x81, 0, 0, 0x80]), frame]),
    ]),
  );
  const cuesOf = (start) => {
    let position = start;
    return element(
      '1c53bb6b',
      clusters.map((cluster, second) => {
        const at = element('b7', [element('f7', uint(1)), element('f1', uint(position, 8))]);
        position += cluster.length;
        return element('bb', [element('b3', uint(second * SECOND_MS, 4)), at]);
      }),
    );
  };
  const front = info.length + tracks.length;
  const cues = cuesOf(front + cuesOf(0).length);
  const header = element('1a45dfa3', [
    element('4282', Buffer.from('webm')),
    element('4286', uint(1)),
    element('42f7', uint(1)),
    element('42f2', uint(4)),
    element('42f3', uint(8)),
    element('4287', uint(2)),
    element('4285', uint(2)),
  ]);
  return Buffer.concat([header, element('18538067', [info, tracks, cues, ...clusters])]);
}

function element(id, content) {
  const body = Array.isArray(content) ? Buffer.concat(content) : content;
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, 'hex'), length, body]);
}

function uint(value, bytes = 4) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
}

function double(value) {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  return buffer;
}
