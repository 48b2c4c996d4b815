import { graphlib, layout } from '@dagrejs/dagre';
import { type Box, BOX_WIDTH, type Graph } from './diagram-graph.js';

/** Top left corner of a box. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Positions = Readonly<Record<string, Point>>;

const GAP = 40;

export function laidOut({ boxes, links }: Graph): Positions {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: 3 * GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name, height } of boxes) graph.setNode(name, { width: BOX_WIDTH, height });
  for (const { id, source, target } of links) if (source !== target) graph.setEdge(source, target, {}, id);
  layout(graph);
  return Object.fromEntries(
    boxes.map(({ name, height }) => {
      const { x, y } = graph.node(name) as Partial<Point>;
      return [name, { x: Math.round((x ?? 0) - BOX_WIDTH / 2), y: Math.round((y ?? 0) - height / 2) }];
    }),
  );
}

/** Keeps the stored positions and places new boxes in a row below. Without stored positions, lays out all boxes. */
export function positionsOf(graph: Graph, stored: Positions): Positions {
  const storedBoxes = graph.boxes.filter(({ name }) => Object.hasOwn(stored, name));
  if (storedBoxes.length === 0) return laidOut(graph);
  const bottom = Math.max(...storedBoxes.map(({ name, height }) => positionIn(stored, name).y + height));
  const left = Math.min(...storedBoxes.map(({ name }) => positionIn(stored, name).x));
  const added = graph.boxes.filter(({ name }) => !Object.hasOwn(stored, name));
  return Object.fromEntries([
    ...storedBoxes.map(({ name }) => [name, positionIn(stored, name)] as const),
    ...added.map(({ name }, index) => [name, { x: left + index * (BOX_WIDTH + GAP), y: bottom + 2 * GAP }] as const),
  ]);
}

/** Returns the path of the line between the nearest sides of two boxes. A relation of a schema to itself is a loop. */
export function lineBetween(from: Point & Pick<Box, 'height'>, to: Point & Pick<Box, 'height'>): string {
  const [fromY, toY] = [from.y + from.height / 2, to.y + to.height / 2];
  if (from.x === to.x && from.y === to.y) {
    const right = from.x + BOX_WIDTH;
    return `M${right},${fromY - 12} C${right + 60},${fromY - 40} ${right + 60},${fromY + 40} ${right},${fromY + 12}`;
  }
  const isRight = to.x + BOX_WIDTH / 2 >= from.x + BOX_WIDTH / 2;
  const [start, end] = isRight ? [from.x + BOX_WIDTH, to.x] : [from.x, to.x + BOX_WIDTH];
  const bend = Math.max(40, Math.abs(end - start) / 2) * (isRight ? 1 : -1);
  return `M${start},${fromY} C${start + bend},${fromY} ${end - bend},${toY} ${end},${toY}`;
}

export function middleOf(from: Point & Pick<Box, 'height'>, to: Point & Pick<Box, 'height'>): Point {
  if (from.x === to.x && from.y === to.y) return { x: from.x + BOX_WIDTH + 45, y: from.y + from.height / 2 };
  const isRight = to.x >= from.x;
  const [start, end] = isRight ? [from.x + BOX_WIDTH, to.x] : [from.x, to.x + BOX_WIDTH];
  return { x: (start + end) / 2, y: (from.y + from.height / 2 + to.y + to.height / 2) / 2 };
}

export function parsePositions(text: string | null): Positions {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Point] => isPoint(entry[1])));
  } catch {
    return {};
  }
}

function isPoint(value: unknown): value is Point {
  if (typeof value !== 'object' || value === null) return false;
  const { x, y } = value as Partial<Point>;
  return Number.isFinite(x) && Number.isFinite(y);
}

function positionIn(positions: Positions, name: string): Point {
  return positions[name] ?? { x: 0, y: 0 };
}
