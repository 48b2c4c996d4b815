import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import type { FilePart } from './file-edits.js';
import { asText, Check, Choice, Entry } from './form-inputs.js';
import classes from './model.module.css';
import { actionsOf, ERASURES, isShown, MORE_OF_RELATION, NAMES_OF_RELATION } from './relation-edits.js';

interface RelationMoreProps {
  name: string;
  relation: FilePart;
  faultOf: (property: string) => string | undefined;
  /** `undefined` removes the member. */
  onSet: (member: string, value: unknown) => void;
}

/** Advanced settings of a relation. Opens automatically if one of them has a fault. */
export function RelationMore({ name, relation, faultOf, onSet }: RelationMoreProps) {
  const { relation: texts } = useTexts('model').model.form;
  const [isOpen, setOpen] = useState(false);
  const error = (member: string): string | undefined => faultOf(`relation/${member}`);
  const isFaulty = MORE_OF_RELATION.some((member) => error(member) !== undefined);
  const choice = (member: 'on_delete' | 'on_update' | 'on_erase', options: readonly string[]) => (
    <Choice
      label={texts[member]}
      value={asText(relation[member])}
      options={['', ...options]}
      labels={{ '': texts.usual, ...texts.actions }}
      error={error(member)}
      onChange={(value) => onSet(member, value || undefined)}
    />
  );
  return (
    <details className={classes.more} open={isOpen || isFaulty} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.more(name)}</summary>
      {(isOpen || isFaulty) && (
        <>
          <div className={classes.line}>
            {choice('on_delete', actionsOf(relation))}
            {choice('on_update', actionsOf(relation))}
            {isShown('on_erase', relation) && choice('on_erase', ERASURES)}
          </div>
          <div className={classes.line}>
            {NAMES_OF_RELATION.filter((member) => isShown(member, relation)).map((member) => (
              <Entry
                key={member}
                label={texts[member]}
                hint={texts.defaultName}
                value={relation[member]}
                error={error(member)}
                read={(text) => text || undefined}
                onChange={(value) => onSet(member, value)}
              />
            ))}
            {isShown('optional', relation) && (
              <Check
                label={texts.optional}
                isOn={relation['optional'] === true}
                error={error('optional')}
                onChange={(isOn) => onSet('optional', isOn || undefined)}
              />
            )}
          </div>
        </>
      )}
    </details>
  );
}
