import { useQuery } from '@tanstack/react-query';
import { getSetupState } from '../../api/auth-api.js';
import { Notice } from '../../ui/notice.js';
import { useTexts } from '../../texts/texts.js';

/** Shows, before the first administrator is made and anybody can sign in, where the way to that is. */
export function NotSetUp() {
  const { signIn } = useTexts();
  const { data } = useQuery({ queryKey: ['setup'], queryFn: getSetupState, retry: false });
  if (data?.data.completed !== false) return null;
  return <Notice tone="plain">{signIn.notSetUp}</Notice>;
}
