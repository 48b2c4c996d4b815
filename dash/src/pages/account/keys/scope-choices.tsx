import { useId } from 'react';
import type { KeyStore } from '../../../session/keys-api.js';
import type { OfferedScopes, ScopeChoice, ScopeGroup } from './key-scopes.js';
import classes from './keys.module.css';
import { useTexts } from '../../../texts/texts.js';

interface ScopeChoicesProps {
  offered: OfferedScopes;
  of: KeyStore['of'];
  isFullAccess: boolean;
  onFullAccessChange: (isFullAccess: boolean) => void;
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
}

export function ScopeChoices({ offered, of, isFullAccess, onFullAccessChange, chosen, onChosen }: ScopeChoicesProps) {
  const { keys } = useTexts('account');
  const name = useId();
  const radio = (label: string, isFull: boolean) => (
    <label className={classes.choice}>
      <input type="radio" name={name} checked={isFullAccess === isFull} onChange={() => onFullAccessChange(isFull)} />
      {label}
    </label>
  );
  function toggle({ resources }: ScopeChoice, isOn: boolean): void {
    const next = new Set(chosen);
    for (const resource of resources)
      if (isOn) next.add(resource);
      else next.delete(resource);
    onChosen(next);
  }
  const groups = (list: readonly ScopeGroup[]) =>
    list.map((group) => <Choices key={group.name} group={group} chosen={chosen} onToggle={toggle} />);
  return (
    <fieldset className={classes.choices}>
      <legend>{keys.permissions}</legend>
      {radio(keys.somePermissions, false)}
      {radio(keys.allPermissions[of], true)}
      {!isFullAccess && (
        <div>
          {groups(offered.records)}
          {offered.others.length > 0 && (
            <details className={classes.others}>
              <summary>{keys.more}</summary>
              {groups(offered.others)}
            </details>
          )}
        </div>
      )}
    </fieldset>
  );
}

interface ChoicesProps {
  group: ScopeGroup;
  chosen: ReadonlySet<string>;
  onToggle: (choice: ScopeChoice, isOn: boolean) => void;
}

function Choices({ group: { name, choices }, chosen, onToggle }: ChoicesProps) {
  return (
    <fieldset className={classes.group}>
      <legend>{name}</legend>
      <div className={classes.options}>
        {choices.map((choice) => (
          <label key={choice.label} className={classes.choice}>
            <input
              type="checkbox"
              checked={choice.resources.every((resource) => chosen.has(resource))}
              onChange={(event) => onToggle(choice, event.currentTarget.checked)}
            />
            {choice.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
