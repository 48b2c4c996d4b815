import { type ComponentProps, lazy, Suspense } from 'react';
import type { AppPasskeyWay } from './passkey-way.js';

// What asks for passkeys comes beside the ways, which are asked for at the same time. Without it there are still those.
const loading = import('./passkey-way.js').catch(() => null);
const None = (): null => null;
const OwnWay = lazy(async () => ({ default: (await loading)?.PasskeyWay ?? None }));
const AppWay = lazy(async () => ({ default: (await loading)?.AppPasskeyWay ?? None }));

/** Shows the sign-in to these pages by a passkey. */
export function PasskeyStep() {
  return (
    <Suspense>
      <OwnWay />
    </Suspense>
  );
}

/** Shows the sign-in to an app by a passkey. */
export function AppPasskeyStep(props: ComponentProps<typeof AppPasskeyWay>) {
  return (
    <Suspense>
      <AppWay {...props} />
    </Suspense>
  );
}
