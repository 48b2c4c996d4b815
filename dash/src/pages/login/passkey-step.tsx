import { type ComponentProps, lazy, Suspense } from 'react';
import type { AppPasskeyWay } from './passkey-way.js';

// What asks for passkeys comes once the ways are there: the first script has no room for it.
const load = () => import('./passkey-way.js');
const OwnWay = lazy(async () => ({ default: (await load()).PasskeyWay }));
const AppWay = lazy(async () => ({ default: (await load()).AppPasskeyWay }));

/** Sign-in to these pages by a passkey. */
export function PasskeyStep() {
  return (
    <Suspense>
      <OwnWay />
    </Suspense>
  );
}

/** Sign-in to an app by a passkey. */
export function AppPasskeyStep(props: ComponentProps<typeof AppPasskeyWay>) {
  return (
    <Suspense>
      <AppWay {...props} />
    </Suspense>
  );
}
