import { Group, Loader } from '@mantine/core';

/** Says that something is on its way. */
export function Loading({ label = 'Loading…' }: { label?: string }) {
  return (
    <Group role="status" gap="sm">
      <Loader size="sm" aria-hidden />
      {label}
    </Group>
  );
}
