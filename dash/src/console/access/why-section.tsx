import { Button, Input, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { Choice } from '../frame/choice.js';
import type { RecordContext } from '../data/records-api.js';
import { explain, findPerson } from './access-api.js';
import classes from './access.module.css';
import { type AccessRole, ACTIONS, type Action } from './access-model.js';
import { Explanation } from './explanation.js';
import { useSeeAs } from './use-see-as.js';
import { type AccessSubject, SubjectPicker } from './subject-picker.js';

interface WhySectionProps {
  context: RecordContext;
  roles: readonly AccessRole[];
  about: { readonly schema: string; readonly id: string } | null;
}

/** Explains why a principal can or cannot use a record. Root can also view the console as that principal. */
export function WhySection({ context, roles, about }: WhySectionProps) {
  const { access } = useTexts('model');
  const [title, recordId] = [useId(), useId()];
  const schemas = [...context.schemas.keys()].sort();
  const [subject, setSubject] = useState<AccessSubject>({ kind: 'guest', name: '' });
  const [schema, setSchema] = useState(about?.schema ?? schemas[0] ?? '');
  const [action, setAction] = useState<Action>(about === null ? 'list' : 'get');
  const [id, setId] = useState(about?.id ?? '');
  const seeAs = useSeeAs();
  const explanation = useMutation({ mutationFn: () => explain({ subject, schema, action, id: id.trim() }) });
  const seeing = useMutation({
    mutationFn: async () => {
      const person = subject.kind === 'person' ? await findPerson(subject.name) : null;
      const as = person === null ? (subject.kind === 'role' ? `role:${subject.name}` : 'guest') : `user:${person}`;
      await seeAs({ as, name: subject.kind === 'guest' ? access.subject.guest : subject.name });
    },
  });
  // Clears the answer when the question changes.
  const [resetExplanation, resetSeeing] = [explanation.reset, seeing.reset];
  useEffect(() => {
    resetExplanation();
    resetSeeing();
  }, [subject, schema, action, id, resetExplanation, resetSeeing]);
  const error = explanation.error ?? seeing.error;
  function submit(event: FormEvent): void {
    event.preventDefault();
    explanation.mutate();
  }
  return (
    <section className={classes.panel} aria-labelledby={title}>
      <Title order={2} id={title}>
        {access.why.title}
      </Title>
      <form className={classes.line} onSubmit={submit}>
        <SubjectPicker roles={roles} subject={subject} onChange={setSubject} />
        <Choice
          label={access.why.action}
          options={ACTIONS.map((item) => [item, access.actions[item]])}
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
        <Button type="submit" loading={explanation.isPending}>
          {access.why.explain}
        </Button>
        {context.permissions.root && (
          <Button variant="default" loading={seeing.isPending} onClick={() => seeing.mutate()}>
            {access.why.viewAs}
          </Button>
        )}
      </form>
      {error && (
        <Notice tone="problem">{explainAsText(error, { principal_unknown: { text: access.why.noMatch } })}</Notice>
      )}
      {explanation.data && <Explanation explanation={explanation.data} hasRecord={id.trim() !== ''} />}
    </section>
  );
}
