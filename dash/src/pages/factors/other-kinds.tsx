import { Button } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import type { FactorKind } from './factor-code-field.js';

interface OtherKindsProps {
  /** Factor types of the account. */
  kinds: readonly FactorKind[];
  /** Currently displayed type. */
  kind: FactorKind | null;
  onOther: (kind: FactorKind) => void;
}

/** Buttons for the other types of codes. */
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
