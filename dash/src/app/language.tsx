import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSession } from '../session/use-session.js';
import { type Language, languageOf, LANGUAGES, switchLanguage, useTexts } from '../texts/texts.js';

/** Loaded on demand, because the sign-in page does not need it. */
const accountApi = () => import('../session/account-api.js');

const ME = ['account', 'me'];
const ALL = Object.keys(LANGUAGES) as Language[];

/**
 * Buttons for the other languages. For signed-in users, the account stores the choice. For guests, the URL contains it, so that reloads and
 * links keep it.
 */
export function LanguageButtons() {
  const { frame, language } = useTexts();
  const { status } = useSession();
  const { lang } = useSearch({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const choose = useMutation({
    mutationFn: async (chosen: Language) => {
      if (status === 'signed-in')
        queries.setQueryData(ME, await (await accountApi()).updateProfile({ language: chosen }));
      await switchLanguage(chosen);
      if (status === 'signed-out' || lang !== undefined)
        await navigate({ to: '.', search: withLanguage(chosen), replace: true });
    },
  });
  return (
    <div role="group" aria-label={frame.languages}>
      {ALL.filter((item) => item !== language).map((item) => (
        // If it fails, the language does not change.
        <Button key={item} variant="subtle" size="sm" lang={item} onClick={() => choose.mutate(item)}>
          {LANGUAGES[item]}
        </Button>
      ))}
    </div>
  );
}

function withLanguage(lang: Language) {
  return (search: object) => ({ ...search, lang });
}

/** Applies the language of the signed-in account, which takes precedence over the browser's language. */
export function useAccountLanguage(): void {
  const session = useSession();
  const account = session.status === 'signed-in' ? session.account : null;
  const query = { queryKey: ME, queryFn: async () => (await accountApi()).getCurrentUser(), enabled: account !== null };
  const { data: user } = useQuery(query);
  const chosen = user?.id === account ? languageOf(user?.language) : null;
  useEffect(() => {
    if (chosen !== null) switchLanguage(chosen).catch(() => {});
  }, [chosen, account]);
}
