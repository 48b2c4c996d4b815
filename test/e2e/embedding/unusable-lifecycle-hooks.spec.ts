import { Controller, Injectable, Module, Scope } from '@nestjs/common';
import {
  OnBeforeLogin,
  OnLoggedIn,
  OnSessionEnded,
} from '../../../src/identity/lifecycle/lifecycle-hooks.decorators.js';
import { DiaryModule } from '../../support/lifecycle-diary.js';
import { TestApp } from '../../support/test-app.js';

describe('an account lifecycle hook that cannot run stops the start', () => {
  const start = (module: unknown) =>
    TestApp.start({ modules: [DiaryModule, module as never] }).then((app) => app.stop());

  it('on a controller', async () => {
    @Controller('idle')
    class Idle {
      @OnSessionEnded()
      hear(): void {}
    }
    @Module({ controllers: [Idle] })
    class IdleModule {}
    await expect(start(IdleModule)).rejects.toThrow(
      /^Idle\.hear is a hook of the sign-in lifecycle: its class must be a provider\.$/,
    );
  });

  it('on a request-scoped class', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Fleeting {
      @OnBeforeLogin()
      hear(): void {}
    }
    @Module({ providers: [Fleeting] })
    class FleetingModule {}
    await expect(start(FleetingModule)).rejects.toThrow(
      /^Fleeting\.hear is a hook of the sign-in lifecycle: its class must be a singleton\.$/,
    );
  });

  it('on a static method', () => {
    expect(() => {
      class Still {
        @(OnLoggedIn() as unknown as MethodDecorator)
        static hear(): void {}
      }
      return Still;
    }).toThrow('Still.hear is a hook of the sign-in lifecycle: it must be a non-static method.');
  });
});
