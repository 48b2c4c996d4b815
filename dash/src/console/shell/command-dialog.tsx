import { Button, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Permissions } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { type Command, commandsFor, findCommands, type Target } from './commands.js';
import { Dialog } from './dialog.js';
import classes from './palette.module.css';

interface CommandDialogProps {
  permissions: Permissions;
  onChoose: (target: Target) => void;
  onHelp: () => void;
  onClose: () => void;
}

export function CommandDialog({ permissions, onChoose, onHelp, onClose }: CommandDialogProps) {
  const { palette } = useTexts('palette');
  const { areas, model } = useTexts('model');
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const commands = useMemo(
    () =>
      commandsFor(permissions, {
        ...palette.commands,
        sections: areas.sections,
        newSchema: model.newSchema,
        diagram: palette.diagram,
        reference: areas.reference,
      }),
    [permissions, palette, areas, model],
  );
  const found = findCommands(commands, text);
  const chosen = found[Math.min(at, found.length - 1)];
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  function onKeyDown(event: KeyboardEvent): void {
    const next = nextIndex(event.key, Math.min(at, found.length - 1), found.length);
    if (next === null && event.key !== 'Enter') return;
    event.preventDefault();
    if (next !== null) setAt(next);
    else if (chosen && !event.nativeEvent.isComposing) onChoose(chosen.target);
  }
  return (
    <Dialog label={palette.title} onClose={onClose}>
      <TextInput
        label={palette.title}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(chosen && { 'aria-activedescendant': `${id}-${chosen.id}` })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        autoFocus
      />
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label={palette.found} className={classes.list}>
        {found.map((item) => (
          <Option key={item.id} id={`${id}-${item.id}`} command={item} isChosen={item === chosen} onChoose={onChoose} />
        ))}
      </ul>
      <div role="status" className={classes.note}>
        {found.length === 0 && palette.none}
      </div>
      <Button variant="subtle" size="xs" onClick={onHelp}>
        {palette.help.title}
      </Button>
    </Dialog>
  );
}

interface OptionProps {
  id: string;
  command: Command;
  isChosen: boolean;
  onChoose: (target: Target) => void;
}

function Option({ id, command: { label, target }, isChosen, onChoose }: OptionProps) {
  return (
    // The input handles the keyboard and announces the selected option.
    <li id={id} role="option" aria-selected={isChosen} className={classes.option} onClick={() => onChoose(target)}>
      {label}
    </li>
  );
}

/** Returns the next index for an arrow key, wrapping at the ends; null for all other keys. */
function nextIndex(key: string, index: number, count: number): number | null {
  if (count === 0 || (key !== 'ArrowDown' && key !== 'ArrowUp')) return null;
  return (index + (key === 'ArrowDown' ? 1 : count - 1)) % count;
}
