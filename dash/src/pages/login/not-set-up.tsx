import { useQuery } from '@tanstack/react-query';
import { getSetupState } from '../../api/auth-api.js';
import { Notice } from '../../ui/notice.js';
import { useTexts } from '../../texts/texts.js';

/** Explains the setup as long as there is no administrator, because sign-in is impossible until then. */
export function NotSetUp() {
  const { signIn } = useTexts();
  if (!useNotSetUp()) return null;
  return <Notice tone="plain">{signIn.notSetUp}</Notice>;
}

/** Returns whether the first administrator is missing; false until the service has responded. */
export function useNotSetUp(): boolean {
  const { data } = useQuery({ queryKey: ['setup'], queryFn: getSetupState, retry: false });
  return data?.data.completed === false;
}
