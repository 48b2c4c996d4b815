import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NativeForm } from '../../forms/native-form.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import { useTexts } from '../../texts/texts.js';

interface AppContinueProps {
  carrier: string;
  onOther: () => void;
}

export function AppContinue({ carrier, onOther }: AppContinueProps) {
  const { appSignIn } = useTexts();
  const {
    data: user,
    error,
    refetch,
  } = useQuery({
    queryKey: ['account', 'me'],
    queryFn: async () => (await import('../../session/account-api.js')).getCurrentUser(),
  });
  return (
    <Stack gap="sm">
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !user && <Loading />}
      {user && (
        <NativeForm
          label={appSignIn.continueForm}
          action="/api/auth/cli/login/session"
          hidden={{ carrier }}
          submit={appSignIn.continueAs(user.login)}
        >
          {() => null}
        </NativeForm>
      )}
      <Button variant="default" fullWidth onClick={onOther}>
        {appSignIn.otherAccount}
      </Button>
    </Stack>
  );
}
