import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf } from '../../api/base-path.js';
import { useTexts } from '../../texts/texts.js';
import type { Permissions } from '../../api/openapi.js';
import type { Section } from '../frame/sections.js';
import { CommandDialog } from './command-dialog.js';
import type { Target } from './commands.js';
import classes from './palette.module.css';
import { ShortcutHelp } from './shortcut-help.js';
import { IS_MAC, useShortcuts } from './use-shortcuts.js';

interface PaletteProps {
  permissions: Permissions;
  sections: readonly Section[];
}

export function Palette({ permissions, sections }: PaletteProps) {
  const { palette } = useTexts('palette');
  const navigate = useNavigate();
  const [shown, setShown] = useState<'palette' | 'help' | null>(null);
  useShortcuts((intent) => {
    if (intent === 'palette' || intent === 'help') {
      setShown(intent);
      return true;
    }
    const section = sections.find(({ name }) => name === intent);
    if (section) void navigate({ to: section.to });
    return section !== undefined;
  });
  function go(target: Target): void {
    setShown(null);
    if ('document' in target) window.location.assign(addressOf(target.document));
    else void navigate(target);
  }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        className={classes.opener}
        aria-keyshortcuts={IS_MAC ? 'Meta+K' : 'Control+K'}
        onClick={() => setShown('palette')}
      >
        {palette.open} <kbd>{IS_MAC ? '⌘K' : palette.controlK}</kbd>
      </Button>
      {shown === 'palette' && (
        <CommandDialog
          permissions={permissions}
          onChoose={go}
          onHelp={() => setShown('help')}
          onClose={() => setShown(null)}
        />
      )}
      {shown === 'help' && <ShortcutHelp onClose={() => setShown(null)} />}
    </>
  );
}
