import { Button, Input } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState } from 'react';
import type { SchemaDefinition } from '../../api/openapi.js';
import { getCurrentUser } from '../../session/account-api.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { Canvas } from './canvas.js';
import { graphOf } from './diagram-graph.js';
import { svgOf } from './diagram-svg.js';
import classes from './diagram.module.css';
import { savePositions, loadPositions } from './saved-positions.js';
import { laidOut, positionsOf, type Positions } from './positions.js';
import { coloursOf, savePng, saveSvg } from './save-image.js';

interface DiagramProps {
  schemas: readonly SchemaDefinition[];
  /** Schema in the centre; null for all schemas. */
  around: string | null;
  onAround: (schema: string | null) => void;
}

export function Diagram(props: DiagramProps) {
  const { data: user } = useQuery({ queryKey: ['account', 'me'], queryFn: getCurrentUser });
  return user ? <Drawing key={props.around} account={user.id} {...props} /> : <Loading />;
}

function Drawing({ schemas, around, onAround, account }: DiagramProps & { account: string }) {
  const { diagram: texts } = useTexts('diagram');
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const graph = useMemo(() => graphOf(schemas, around), [schemas, around]);
  const [positions, setPositions] = useState<Positions>(() =>
    positionsOf(graph, loadPositions(localStorage, account, around)),
  );
  const all = useMemo(() => positionsOf(graph, positions), [graph, positions]);
  const save = useMutation({
    mutationFn: async (kind: 'svg' | 'png') => {
      if (frame.current === null) return;
      const image = svgOf(graph, all, coloursOf(frame.current), texts.more);
      await (kind === 'svg' ? saveSvg(image) : savePng(image));
    },
  });
  function move(next: Positions): void {
    setPositions(next);
    savePositions(localStorage, account, around, next);
  }
  function layOut(): void {
    setPositions(laidOut(graph));
    savePositions(localStorage, account, around, null);
  }
  return (
    <div ref={frame} className={classes.diagram}>
      <div className={classes.tools}>
        <Input.Wrapper label={texts.around} id={id}>
          <Input
            component="select"
            id={id}
            value={around ?? ''}
            onChange={({ currentTarget }) => onAround(currentTarget.value || null)}
          >
            <option value="">{texts.everything}</option>
            {schemas.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Input>
        </Input.Wrapper>
        <Button variant="default" size="sm" onClick={layOut}>
          {texts.layOut}
        </Button>
        <Button variant="default" size="sm" onClick={() => save.mutate('svg')}>
          {texts.saveSvg}
        </Button>
        <Button variant="default" size="sm" onClick={() => save.mutate('png')}>
          {texts.savePng}
        </Button>
      </div>
      {save.error && <Notice tone="problem">{texts.notSaved}</Notice>}
      {graph.boxes.length === 0 ? (
        <Notice tone="plain">{texts.none}</Notice>
      ) : (
        <Canvas graph={graph} positions={all} onMove={move} />
      )}
    </div>
  );
}
