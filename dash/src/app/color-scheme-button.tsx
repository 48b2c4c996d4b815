import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import classes from './layout.module.css';
import { useTexts } from '../texts/texts.js';

const SUN =
  'M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10M12 1v3M12 20v3M1 12h3M20 12h3M4.2 4.2l2.1 2.1M17.7 17.7l2.1 2.1M4.2 19.8l2.1-2.1M17.7 6.3l2.1-2.1';
const MOON = 'M20.5 14.2A8.5 8.5 0 1 1 9.8 3.5a7 7 0 0 0 10.7 10.7';

/** Switches between the light and the dark theme until the page is closed. */
export function ColorSchemeButton() {
  const { frame } = useTexts();
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  const label = dark ? frame.lightColours : frame.darkColours;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      <svg viewBox="0 0 24 24" className={classes.icon} aria-hidden="true" focusable="false">
        <path
          d={dark ? SUN : MOON}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </ActionIcon>
  );
}
