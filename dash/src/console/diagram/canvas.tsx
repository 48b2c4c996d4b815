import '@xyflow/react/dist/base.css';
import {
  applyNodeChanges,
  Background,
  Controls,
  type Edge,
  type EdgeTypes,
  type NodeChange,
  type NodeTypes,
  Panel,
  ReactFlow,
} from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { BoxNode, type SchemaNode } from './box-node.js';
import { BOX_WIDTH, type Graph } from './diagram-graph.js';
import classes from './diagram.module.css';
import { LinkEdge, type RelationEdge } from './link-edge.js';
import type { Positions } from './positions.js';

interface CanvasProps {
  graph: Graph;
  positions: Positions;
  onMove: (positions: Positions) => void;
}

const LIBRARY = 'React Flow';
const NODE_TYPES: NodeTypes = { schema: BoxNode };
const EDGE_TYPES: EdgeTypes = { relation: LinkEdge };

export function Canvas({ graph, positions, onMove }: CanvasProps) {
  const { diagram: texts } = useTexts('diagram');
  const initialNodes = useMemo(() => nodesOf(graph, positions, texts.canvas.schema), [graph, positions, texts]);
  const [nodes, setNodes] = useState(initialNodes);
  useEffect(() => setNodes(initialNodes), [initialNodes]);
  const edges = useMemo(() => edgesOf(graph, texts.canvas.relation), [graph, texts]);
  function change(changes: NodeChange<SchemaNode>[]): void {
    const next = applyNodeChanges(changes, nodes);
    setNodes(next);
    const isReleased = changes.some((item) => item.type === 'position' && item.dragging === false);
    if (isReleased) onMove(Object.fromEntries(next.map(({ id, position: { x, y } }) => [id, { x, y }])));
  }
  return (
    <div className={classes.canvas}>
      <ReactFlow<SchemaNode, RelationEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={change}
        ariaLabelConfig={{
          'node.a11yDescription.default': texts.canvas.use,
          'node.a11yDescription.keyboardDisabled': texts.canvas.use,
          'edge.a11yDescription.default': texts.canvas.relationUse,
          'node.a11yDescription.ariaLiveMessage': texts.canvas.moved,
          'controls.ariaLabel': texts.canvas.zoom,
          'controls.zoomIn.ariaLabel': texts.canvas.zoomIn,
          'controls.zoomOut.ariaLabel': texts.canvas.zoomOut,
          'controls.fitView.ariaLabel': texts.canvas.showAll,
        }}
        aria-label={texts.label}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        onlyRenderVisibleElements={nodes.length > 60}
        minZoom={0.1}
        maxZoom={2}
        fitView
        // The built-in attribution is only in English. The panel below replaces it with a translated one.
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
        <Panel position="bottom-right" className="react-flow__attribution">
          <a href="https://reactflow.dev" target="_blank" rel="noopener noreferrer" aria-label={texts.canvas.by}>
            {LIBRARY}
          </a>
        </Panel>
      </ReactFlow>
    </div>
  );
}

function nodesOf({ boxes }: Graph, positions: Positions, role: string): SchemaNode[] {
  return boxes.map((box) => ({
    id: box.name,
    type: 'schema',
    position: positions[box.name] ?? { x: 0, y: 0 },
    data: { box },
    width: BOX_WIDTH,
    height: box.height,
    ariaLabel: box.name,
    domAttributes: { 'aria-roledescription': role },
  }));
}

function edgesOf({ links }: Graph, role: string): RelationEdge[] {
  return links.map(({ id, source, target, kind, label }): Edge<RelationEdge['data'] & object, 'relation'> => ({
    id,
    type: 'relation',
    source,
    target,
    data: { kind, label },
    ariaLabel: `${source}, ${label}, ${target}`,
    domAttributes: { 'aria-roledescription': role },
  }));
}
