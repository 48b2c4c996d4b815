import { useQuery } from '@tanstack/react-query';
import { getSetupState } from '../../api/auth-api.js';
import { Notice } from '../../ui/notice.js';
import { useTexts } from '../../texts/texts.js';

/** Shows, before the first administrator is made and anybody can sign in, where the way to that is. */
export function NotSetUp() {
  const { signIn } = useTexts();
  if (!useNotSetUp()) return null;
  return <Notice tone="plain">{signIn.notSetUp}</Notice>;
}

/** Returns whether the service waits for its first administrator; false until it has answered. */
export function useNotSetUp(): boolean {
  const { data } = useQuery({ queryKey: ['setup'], queryFn: getSetupState, retry: false });
  return data?.data.completed === false;
}
