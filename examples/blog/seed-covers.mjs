import { crc32, deflateSync } from 'node:zlib';

/** Draws the covers of the example: hills in the colours of a time of day, the same on every machine. */
export const WIDTH = 1_280;
export const HEIGHT = 720;
const RIDGES = 5;
/** Name, position of the sun (as a share of width and height), its radius, and the colours of sky, horizon, sun and nearest hill. */
const VIEWS = [
  ['dawn', 0.28, 0.42, 90, '#f3b49a', '#fde8d2', '#fff4d6', '#3b3f5c'],
  ['noon', 0.7, 0.22, 60, '#5fa8d8', '#d9eef7', '#fffbe8', '#2f5d46'],
  ['dusk', 0.62, 0.5, 110, '#5b4a7d', '#f0a07c', '#ffd9a0', '#23203a'],
  ['frost', 0.2, 0.3, 55, '#9fb4c8', '#eef3f6', '#ffffff', '#46596b'],
  ['autumn', 0.8, 0.38, 80, '#d7a05b', '#f6e3bd', '#fff2cf', '#6b3a24'],
  ['night', 0.75, 0.2, 48, '#10182f', '#31436b', '#f2efdc', '#0a0f1d'],
];

/** File names of the covers, with their alternative texts. */
export const COVERS = VIEWS.map(([name]) => ({
  name: `hills-at-${name}.png`,
  alt: `Rows of hills, one behind the other, at ${name}`,
}));

/** Returns a cover of {@link COVERS} as PNG. */
export function drawCover(number) {
  const [, sunX, sunY, radius, ...colours] = VIEWS[number];
  const [sky, horizon, sun, near] = colours.map(rgbOf);
  const ridges = Array.from({ length: RIDGES }, (_, depth) => ridgeOf(number, depth));
  const tones = ridges.map((_, depth) => mix(horizon, near, (depth + 1.2) / (RIDGES + 0.2)));
  const rows = Buffer.alloc(HEIGHT * (WIDTH * 3 + 1));
  for (let y = 0, at = 0; y < HEIGHT; y += 1) {
    // Each row begins with its filter type: 0 is none.
    rows[at++] = 0;
    const air = mix(sky, horizon, Math.min(1, y / (HEIGHT * 0.72)));
    for (let x = 0; x < WIDTH; x += 1) {
      const depth = ridges.findLastIndex((heights) => y >= heights[x]);
      const isSun = Math.hypot(x - sunX * WIDTH, y - sunY * HEIGHT) < radius;
      const [red, green, blue] = depth >= 0 ? tones[depth] : isSun ? sun : air;
      rows[at++] = red;
      rows[at++] = green;
      rows[at++] = blue;
    }
  }
  return pngOf(rows);
}

/** Returns the height of a row of hills for each column, as a sum of three waves. */
function ridgeOf(number, depth) {
  const shift = number * 1.7 + depth * 2.3;
  const base = HEIGHT * (0.46 + depth * 0.11);
  return Float64Array.from({ length: WIDTH }, (_, x) => {
    const at = (x / WIDTH) * (5 + depth);
    return base + 34 * Math.sin(at + shift) + 18 * Math.sin(at * 2.3 + shift * 2) + 7 * Math.sin(at * 5.1 + shift * 3);
  });
}

function rgbOf(hex) {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function mix(one, other, share) {
  return one.map((value, at) => Math.round(value + (other[at] - value) * share));
}

/** Writes rows of RGB values as a PNG file (PNG, third edition, §5, §11). */
function pngOf(rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // 8 bits per channel, RGB, deflate, adaptive filters, not interlaced.
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [part('IHDR', header), part('IDAT', deflateSync(rows)), part('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

function part(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
