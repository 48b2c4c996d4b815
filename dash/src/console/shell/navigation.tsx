import { Anchor } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { addressOf } from '../../api/base-path.js';
import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import { REFERENCE, type Section } from '../frame/sections.js';
import classes from './navigation.module.css';

const NEAREST = { block: 'nearest', inline: 'nearest' } as const;

export function Navigation({ sections }: { sections: readonly Section[] }) {
  const { areas } = useTexts('model');
  const row = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // On a small screen, the row is wider than the screen.
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView(NEAREST);
  }, [path]);
  return (
    // Browsers do not scroll to a focused link that is partly visible.
    <nav
      ref={row}
      aria-label={areas.parts}
      className={classes.parts}
      onFocus={({ target }) => target.scrollIntoView(NEAREST)}
    >
      {sections.map(({ to, name }) => (
        <RouteLink key={to} to={to} activeProps={{ 'aria-current': 'page' }} underline="never">
          {areas.sections[name]}
        </RouteLink>
      ))}
      <Anchor href={addressOf(REFERENCE)} underline="never">
        {areas.reference}
      </Anchor>
    </nav>
  );
}
