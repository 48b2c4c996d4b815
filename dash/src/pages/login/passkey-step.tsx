import { type ComponentProps, lazy, Suspense } from 'react';
import type { AppPasskeyWay } from './passkey-way.js';

// Loaded in parallel with the sign-in methods. If loading fails, they still work.
const loading = import('./passkey-way.js').catch(() => null);
const None = (): null => null;
const OwnWay = lazy(async () => ({ default: (await loading)?.PasskeyWay ?? None }));
const AppWay = lazy(async () => ({ default: (await loading)?.AppPasskeyWay ?? None }));

export function PasskeyStep() {
  return (
    <Suspense>
      <OwnWay />
    </Suspense>
  );
}

export function AppPasskeyStep(props: ComponentProps<typeof AppPasskeyWay>) {
  return (
    <Suspense>
      <AppWay {...props} />
    </Suspense>
  );
}
