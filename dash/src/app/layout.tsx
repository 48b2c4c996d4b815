import { Outlet, useLocation } from '@tanstack/react-router';
import { type MouseEvent, useRef } from 'react';
import { useSession } from '../session/use-session.js';
import { APP_NAME } from '../ui/app-name.js';
import { ColorSchemeButton } from './color-scheme-button.js';
import classes from './layout.module.css';
import { Mark } from './mark.js';
import { NotFound, NOWHERE } from './not-found.js';
import { SignOutButton } from './sign-out-button.js';

/** What stands around every page. */
export function Layout() {
  const main = useRef<HTMLElement>(null);
  const session = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  function skip(event: MouseEvent): void {
    event.preventDefault();
    main.current?.focus();
  }
  return (
    <div className={classes.frame}>
      <a href="#main" className={classes.skip} onClick={skip}>
        Skip to content
      </a>
      <header className={classes.header}>
        <span className={classes.name}>
          <Mark />
          {APP_NAME}
        </span>
        <div className={classes.tools}>
          {session.status === 'signed-in' && <SignOutButton />}
          <ColorSchemeButton />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {path === NOWHERE ? <NotFound /> : <Outlet />}
      </main>
    </div>
  );
}
