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
import { keepPlaces, keptPlaces } from './keep-places.js';
import { laidOut, placed, type Places } from './places.js';
import { coloursOf, savePng, saveSvg } from './save-picture.js';

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
  const { diagram: words } = useTexts('diagram');
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const graph = useMemo(() => graphOf(schemas, around), [schemas, around]);
  const [places, setPlaces] = useState<Places>(() => placed(graph, keptPlaces(localStorage, account, around)));
  const all = useMemo(() => placed(graph, places), [graph, places]);
  const save = useMutation({
    mutationFn: async (kind: 'svg' | 'png') => {
      if (frame.current === null) return;
      const picture = svgOf(graph, all, coloursOf(frame.current), words.more);
      await (kind === 'svg' ? saveSvg(picture) : savePng(picture));
    },
  });
  function move(next: Places): void {
    setPlaces(next);
    keepPlaces(localStorage, account, around, next);
  }
  function layOut(): void {
    setPlaces(laidOut(graph));
    keepPlaces(localStorage, account, around, null);
  }
  return (
    <div ref={frame} className={classes.diagram}>
      <div className={classes.tools}>
        <Input.Wrapper label={words.around} id={id}>
          <Input
            component="select"
            id={id}
            value={around ?? ''}
            onChange={({ currentTarget }) => onAround(currentTarget.value || null)}
          >
            <option value="">{words.everything}</option>
            {schemas.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Input>
        </Input.Wrapper>
        <Button variant="default" size="sm" onClick={layOut}>
          {words.layOut}
        </Button>
        <Button variant="default" size="sm" onClick={() => save.mutate('svg')}>
          {words.saveSvg}
        </Button>
        <Button variant="default" size="sm" onClick={() => save.mutate('png')}>
          {words.savePng}
        </Button>
      </div>
      {save.error && <Notice tone="problem">{words.notSaved}</Notice>}
      {graph.boxes.length === 0 ? (
        <Notice tone="plain">{words.none}</Notice>
      ) : (
        <Canvas graph={graph} places={all} onMove={move} />
      )}
    </div>
  );
}
