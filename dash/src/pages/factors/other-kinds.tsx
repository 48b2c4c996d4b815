import { Button } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import type { FactorKind } from './factor-code-field.js';

interface OtherKindsProps {
  kinds: readonly FactorKind[];
  kind: FactorKind | null;
  onOther: (kind: FactorKind) => void;
}

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
