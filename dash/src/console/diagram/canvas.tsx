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
import type { Places } from './places.js';

interface CanvasProps {
  graph: Graph;
  places: Places;
  onMove: (places: Places) => void;
}

const LIBRARY = 'React Flow';
const NODE_TYPES: NodeTypes = { schema: BoxNode };
const EDGE_TYPES: EdgeTypes = { relation: LinkEdge };

export function Canvas({ graph, places, onMove }: CanvasProps) {
  const { diagram: words } = useTexts('diagram');
  const given = useMemo(() => nodesOf(graph, places, words.canvas.schema), [graph, places, words]);
  const [nodes, setNodes] = useState(given);
  useEffect(() => setNodes(given), [given]);
  const edges = useMemo(() => edgesOf(graph, words.canvas.relation), [graph, words]);
  function change(changes: NodeChange<SchemaNode>[]): void {
    const next = applyNodeChanges(changes, nodes);
    setNodes(next);
    const isLetGo = changes.some((one) => one.type === 'position' && one.dragging === false);
    if (isLetGo) onMove(Object.fromEntries(next.map(({ id, position: { x, y } }) => [id, { x, y }])));
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
          'node.a11yDescription.default': words.canvas.use,
          'node.a11yDescription.keyboardDisabled': words.canvas.use,
          'edge.a11yDescription.default': words.canvas.relationUse,
          'node.a11yDescription.ariaLiveMessage': words.canvas.moved,
          'controls.ariaLabel': words.canvas.zoom,
          'controls.zoomIn.ariaLabel': words.canvas.zoomIn,
          'controls.zoomOut.ariaLabel': words.canvas.zoomOut,
          'controls.fitView.ariaLabel': words.canvas.showAll,
        }}
        aria-label={words.label}
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
          <a href="https://reactflow.dev" target="_blank" rel="noopener noreferrer" aria-label={words.canvas.by}>
            {LIBRARY}
          </a>
        </Panel>
      </ReactFlow>
    </div>
  );
}

function nodesOf({ boxes }: Graph, places: Places, role: string): SchemaNode[] {
  return boxes.map((box) => ({
    id: box.name,
    type: 'schema',
    position: places[box.name] ?? { x: 0, y: 0 },
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
