/** Asks the person to prove once more who they are. Answers whether they did. */
export type Asker = () => Promise<boolean>;

let asker: Asker | null = null;
let asking: Promise<boolean> | null = null;

/** Says who asks from now on; null if nobody can be asked. */
export function setAsker(next: Asker | null): void {
  asker = next;
}

/** Has the person asked, once for everything that needs it at the same time. */
export function askForProof(): Promise<boolean> {
  asking ??= (asker?.() ?? Promise.resolve(false)).finally(() => {
    asking = null;
  });
  return asking;
}
