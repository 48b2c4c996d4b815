import { Button } from '@mantine/core';
import { useClickOutside } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';
import classes from './records.module.css';

interface MenuProps {
  readonly label: string;
  readonly children: ReactNode;
}

export function Menu({ label, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const ref = useClickOutside<HTMLDivElement>(() => setOpen(false));
  return (
    <div
      ref={ref}
      className={classes.menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <Button ref={button} variant="default" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
      </Button>
      {isOpen && (
        <div role="group" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  );
}
