import { type Box, BOX_WIDTH, type Graph, HEAD_HEIGHT, ROW_HEIGHT } from './diagram-graph.js';
import { lineBetween, middleOf, type Point, type Positions } from './positions.js';

export interface Colours {
  readonly page: string;
  readonly box: string;
  readonly line: string;
  readonly text: string;
  readonly dimmed: string;
  readonly accent: string;
}

export interface SvgImage {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

const MARGIN = 40;
const FONT = 'system-ui, sans-serif';
const MAX_TEXT_LENGTH = 24;

export function svgOf(graph: Graph, positions: Positions, colours: Colours, more: (count: number) => string): SvgImage {
  const boxes = graph.boxes.map((box) => ({ ...box, ...(positions[box.name] ?? { x: 0, y: 0 }) }));
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)) - MARGIN, Math.min(...boxes.map(({ y }) => y)) - MARGIN];
  const width = Math.max(...boxes.map(({ x }) => x + BOX_WIDTH)) + 2 * MARGIN - left;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + MARGIN - top;
  const byName = new Map(boxes.map((box) => [box.name, box]));
  const lines = graph.links.flatMap(({ source, target, kind }) => {
    const [from, to] = [byName.get(source), byName.get(target)];
    return from && to ? [lineSvg(lineBetween(from, to), middleOf(from, to), kind, colours)] : [];
  });
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" font-family="${FONT}" font-size="13">`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${escapeXml(colours.page)}"/>`,
    ...lines,
    ...boxes.map((box) => boxSvg(box, colours, more)),
    '</svg>',
  ].join('\n');
  return { svg, width, height };
}

function lineSvg(path: string, { x, y }: Point, kind: string, { line, dimmed, page }: Colours): string {
  const text = `x="${x}" y="${y + 4}" text-anchor="middle" font-size="11"`;
  return [
    `<path d="${path}" fill="none" stroke="${escapeXml(dimmed)}" stroke-width="1.5"/>`,
    `<rect x="${x - 14}" y="${y - 9}" width="28" height="18" rx="4" fill="${escapeXml(page)}" stroke="${escapeXml(line)}"/>`,
    `<text ${text} fill="${escapeXml(dimmed)}">${escapeXml(kind)}</text>`,
  ].join('');
}

function boxSvg(box: Box & Point, colours: Colours, more: (count: number) => string): string {
  const { x, y, name, rows, isStub } = box;
  const dash = isStub ? ' stroke-dasharray="4 3"' : '';
  const frame = `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${box.height}" rx="6" fill="${escapeXml(colours.box)}" stroke="${escapeXml(colours.line)}"${dash}/>`;
  const title = `<text x="${x + 12}" y="${y + 23}" font-weight="600" font-size="14" fill="${escapeXml(colours.accent)}">${escapeXml(short(name))}</text>`;
  const texts = rows.map((row, index) => {
    const base = y + HEAD_HEIGHT + index * ROW_HEIGHT + 15;
    const type = `<text x="${x + BOX_WIDTH - 12}" y="${base}" text-anchor="end" fill="${escapeXml(colours.dimmed)}">${escapeXml(short(row.type, 12))}</text>`;
    return `<text x="${x + 12}" y="${base}" fill="${escapeXml(colours.text)}">${escapeXml(short(row.name, 18))}${row.required ? '' : '?'}</text>${type}`;
  });
  const rest =
    box.more > 0
      ? [
          `<text x="${x + 12}" y="${y + HEAD_HEIGHT + rows.length * ROW_HEIGHT + 15}" fill="${escapeXml(colours.dimmed)}">${escapeXml(more(box.more))}</text>`,
        ]
      : [];
  return [frame, title, ...texts, ...rest].join('');
}

function short(text: string, maxLength = MAX_TEXT_LENGTH): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
}
