import { graphlib, layout } from '@dagrejs/dagre';
import { type Box, BOX_WIDTH, type Graph } from './diagram-graph.js';

/** Top left corner of a box. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export type Places = Readonly<Record<string, Place>>;

const GAP = 40;

export function laidOut({ boxes, links }: Graph): Places {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: 3 * GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name, height } of boxes) graph.setNode(name, { width: BOX_WIDTH, height });
  for (const { id, source, target } of links) if (source !== target) graph.setEdge(source, target, {}, id);
  layout(graph);
  return Object.fromEntries(
    boxes.map(({ name, height }) => {
      const { x, y } = graph.node(name) as Partial<Place>;
      return [name, { x: Math.round((x ?? 0) - BOX_WIDTH / 2), y: Math.round((y ?? 0) - height / 2) }];
    }),
  );
}

/** Keeps the stored positions and places new boxes in a row below. Without stored positions, lays out all boxes. */
export function placed(graph: Graph, kept: Places): Places {
  const old = graph.boxes.filter(({ name }) => Object.hasOwn(kept, name));
  if (old.length === 0) return laidOut(graph);
  const bottom = Math.max(...old.map(({ name, height }) => placeIn(kept, name).y + height));
  const left = Math.min(...old.map(({ name }) => placeIn(kept, name).x));
  const added = graph.boxes.filter(({ name }) => !Object.hasOwn(kept, name));
  return Object.fromEntries([
    ...old.map(({ name }) => [name, placeIn(kept, name)] as const),
    ...added.map(({ name }, index) => [name, { x: left + index * (BOX_WIDTH + GAP), y: bottom + 2 * GAP }] as const),
  ]);
}

/** Returns the path of the line between the nearest sides of two boxes. A relation of a schema to itself is a loop. */
export function lineBetween(from: Place & Pick<Box, 'height'>, to: Place & Pick<Box, 'height'>): string {
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

export function middleOf(from: Place & Pick<Box, 'height'>, to: Place & Pick<Box, 'height'>): Place {
  if (from.x === to.x && from.y === to.y) return { x: from.x + BOX_WIDTH + 45, y: from.y + from.height / 2 };
  const isRight = to.x >= from.x;
  const [start, end] = isRight ? [from.x + BOX_WIDTH, to.x] : [from.x, to.x + BOX_WIDTH];
  return { x: (start + end) / 2, y: (from.y + from.height / 2 + to.y + to.height / 2) / 2 };
}

export function readPlaces(text: string | null): Places {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Place] => isPlace(entry[1])));
  } catch {
    return {};
  }
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null) return false;
  const { x, y } = value as Partial<Place>;
  return Number.isFinite(x) && Number.isFinite(y);
}

function placeIn(places: Places, name: string): Place {
  return places[name] ?? { x: 0, y: 0 };
}
