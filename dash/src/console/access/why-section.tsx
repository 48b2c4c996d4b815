import { Button, Input, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { explainInWords } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { Choice } from '../frame/choice.js';
import type { RecordWorld } from '../data/records-api.js';
import { explain, findPerson } from './access-api.js';
import classes from './access.module.css';
import { type AccessRole, ACTIONS, type Action } from './access-model.js';
import { Explanation } from './explanation.js';
import { useSeeAs } from './use-see-as.js';
import { type Who, WhoChoice } from './who-choice.js';

interface WhySectionProps {
  world: RecordWorld;
  roles: readonly AccessRole[];
  about: { readonly schema: string; readonly id: string } | null;
}

/** Explains why a principal can or cannot use a record. Root can also view the console as that principal. */
export function WhySection({ world, roles, about }: WhySectionProps) {
  const { access } = useTexts('model');
  const [title, recordId] = [useId(), useId()];
  const schemas = [...world.schemas.keys()].sort();
  const [who, setWho] = useState<Who>({ kind: 'guest', name: '' });
  const [schema, setSchema] = useState(about?.schema ?? schemas[0] ?? '');
  const [action, setAction] = useState<Action>(about === null ? 'list' : 'get');
  const [id, setId] = useState(about?.id ?? '');
  const seeAs = useSeeAs();
  const asked = useMutation({ mutationFn: () => explain({ who, schema, action, id: id.trim() }) });
  const seeing = useMutation({
    mutationFn: async () => {
      const person = who.kind === 'person' ? await findPerson(who.name) : null;
      const as = person === null ? (who.kind === 'role' ? `role:${who.name}` : 'guest') : `user:${person}`;
      await seeAs({ as, name: who.kind === 'guest' ? access.who.guest : who.name });
    },
  });
  // Clears the answer when the question changes.
  const [resetAsked, resetSeeing] = [asked.reset, seeing.reset];
  useEffect(() => {
    resetAsked();
    resetSeeing();
  }, [who, schema, action, id, resetAsked, resetSeeing]);
  const error = asked.error ?? seeing.error;
  function submit(event: FormEvent): void {
    event.preventDefault();
    asked.mutate();
  }
  return (
    <section className={classes.panel} aria-labelledby={title}>
      <Title order={2} id={title}>
        {access.why.title}
      </Title>
      <form className={classes.line} onSubmit={submit}>
        <WhoChoice roles={roles} who={who} onChange={setWho} />
        <Choice
          label={access.why.action}
          options={ACTIONS.map((one) => [one, access.actions[one]])}
          value={action}
          onChange={setAction}
        />
        <Choice
          label={access.schema}
          options={schemas.map((name) => [name, name])}
          value={schema}
          onChange={setSchema}
        />
        <Input.Wrapper label={access.why.record} id={recordId}>
          <Input
            id={recordId}
            value={id}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={255}
          />
        </Input.Wrapper>
        <Button type="submit" loading={asked.isPending}>
          {access.why.ask}
        </Button>
        {world.permissions.root && (
          <Button variant="default" loading={seeing.isPending} onClick={() => seeing.mutate()}>
            {access.why.see}
          </Button>
        )}
      </form>
      {error && (
        <Notice tone="problem">{explainInWords(error, { principal_unknown: { text: access.why.nobody } })}</Notice>
      )}
      {asked.data && <Explanation explanation={asked.data} hasRecord={id.trim() !== ''} />}
    </section>
  );
}
