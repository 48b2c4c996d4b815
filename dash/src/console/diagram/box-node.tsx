import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import type { Box } from './diagram-graph.js';
import classes from './diagram.module.css';

export type SchemaNode = Node<{ box: Box }, 'schema'>;

/** Shows a schema with its fields. A stub, which is only the target of a relation, shows its name alone. */
export function BoxNode({ data: { box } }: NodeProps<SchemaNode>) {
  const { diagram: texts } = useTexts('diagram');
  return (
    <div className={classes.box} data-stub={box.isStub || undefined}>
      <Handle type="target" position={Position.Left} className={classes.handle} />
      <RouteLink to="/dash/model/$schema" params={{ schema: box.name }} className={`${classes.name} nodrag`}>
        {box.name}
      </RouteLink>
      {box.rows.map(({ name, type, required }) => (
        <div key={name} className={classes.row}>
          <span className={classes.field}>
            {name}
            {!required && '?'}
          </span>
          <span className={classes.type}>{type}</span>
        </div>
      ))}
      {box.more > 0 && <div className={`${classes.row} ${classes.type}`}>{texts.more(box.more)}</div>}
      <Handle type="source" position={Position.Right} className={classes.handle} />
    </div>
  );
}
