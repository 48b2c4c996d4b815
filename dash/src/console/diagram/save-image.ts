import type { Colours, SvgImage } from './diagram-svg.js';
import { saveFile } from '../../ui/save-file.js';

const SCALE = 2;
/** Maximum width and height of a canvas in common browsers. */
const MAX_PIXELS = 16_000;

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return {
    page: colour('--lintel-page'),
    box: colour('--mantine-color-body'),
    line: colour('--lintel-input-line'),
    text: colour('--mantine-color-text'),
    dimmed: colour('--mantine-color-dimmed'),
    accent: colour('--mantine-color-anchor'),
  };
}

export function saveSvg({ svg }: SvgImage): void {
  saveFile(new Blob([svg], { type: 'image/svg+xml' }), 'schemas.svg');
}

/** Saves the image as PNG. @throws Error if the browser cannot draw it. */
export async function savePng({ svg, width, height }: SvgImage): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(SCALE, MAX_PIXELS / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('The image could not be created.');
  saveFile(blob, 'schemas.png');
}
