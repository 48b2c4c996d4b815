import { Button, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Dialog } from './dialog.js';
import classes from './palette.module.css';
import { PART_KEYS } from './shortcuts.js';
import { IS_MAC } from './use-shortcuts.js';

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { palette } = useTexts('palette');
  const { areas } = useTexts('model');
  const { help } = palette;
  const command = IS_MAC ? '⌘' : help.control;
  return (
    <Dialog label={help.title} onClose={onClose}>
      <Title order={2} className={classes.title}>
        {help.title}
      </Title>
      <Group title={help.everywhere}>
        <Keys keys={[command, 'K']} meaning={palette.title} />
        <Keys keys={['?']} meaning={help.title} />
        {Object.entries(PART_KEYS).map(([key, name]) => (
          <Keys key={key} keys={['g', key]} meaning={areas.sections[name]} />
        ))}
      </Group>
      <Group title={help.lists}>
        <Keys keys={['↑', '↓', '←', '→']} meaning={help.move} />
        <Keys keys={[help.enter]} meaning={help.edit} />
        <Keys keys={[help.space]} meaning={help.select} />
        <Keys keys={[help.escape]} meaning={help.discard} />
        <Keys keys={[command, 'S']} meaning={help.save} />
      </Group>
      <Button variant="default" autoFocus onClick={onClose}>
        {help.close}
      </Button>
    </Dialog>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} className={classes.group}>
        {title}
      </Title>
      <dl className={classes.keys}>{children}</dl>
    </section>
  );
}

function Keys({ keys, meaning }: { keys: readonly string[]; meaning: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{meaning}</dd>
    </div>
  );
}
