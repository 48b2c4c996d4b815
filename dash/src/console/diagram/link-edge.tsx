import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, useInternalNode } from '@xyflow/react';
import type { Link } from './diagram-graph.js';
import classes from './diagram.module.css';
import { lineBetween, middleOf } from './positions.js';
import type { SchemaNode } from './box-node.js';

export type RelationEdge = Edge<Pick<Link, 'kind' | 'label'>, 'relation'>;

/** Draws the same line as the exported image. */
export function LinkEdge({ source, target, data }: EdgeProps<RelationEdge>) {
  const [from, to] = [useBox(source), useBox(target)];
  if (from === null || to === null) return null;
  const { x, y } = middleOf(from, to);
  return (
    <>
      <BaseEdge path={lineBetween(from, to)} className={classes.line} />
      <EdgeLabelRenderer>
        <div
          className={classes.kind}
          title={data?.label}
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {data?.kind}
        </div>
      </EdgeLabelRenderer>
    </>
  );
}

function useBox(id: string): { x: number; y: number; height: number } | null {
  const node = useInternalNode<SchemaNode>(id);
  if (node === undefined) return null;
  return { ...node.internals.positionAbsolute, height: node.data.box.height };
}
