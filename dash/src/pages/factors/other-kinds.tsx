import { Button } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import type { FactorKind } from './factor-code-field.js';

interface OtherKindsProps {
  /** Kinds that the account has. */
  kinds: readonly FactorKind[];
  /** The one that is asked for now. */
  kind: FactorKind | null;
  onOther: (kind: FactorKind) => void;
}

/** Shows the kinds of codes that may be typed in place of what is asked for. */
export function OtherKinds({ kinds, kind, onOther }: OtherKindsProps) {
  const { factors } = useTexts('factors');
  return kinds
    .filter((other) => other !== kind)
    .map((other) => (
      <Button key={other} variant="subtle" size="sm" onClick={() => onOther(other)}>
        {factors.instead[other]}
      </Button>
    ));
}
