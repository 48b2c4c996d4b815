import { Group, Loader } from '@mantine/core';
import { useTexts } from '../texts/texts.js';

export function Loading({ label }: { label?: string }) {
  const { frame } = useTexts();
  return (
    <Group role="status" gap="sm">
      <Loader size="sm" aria-hidden />
      {label ?? frame.loading}
    </Group>
  );
}
