package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The language")
class LanguageTest {
    @ParameterizedTest(name = "LANG={0} is {1}")
    @CsvSource({"ja_JP.UTF-8, ja", "ko_KR, ko", "ja, ja", "C.UTF-8, en", "POSIX, en", "'', en", "en_GB.UTF-8, en"})
    void theEnvironmentNamesIt(String lang, String language) {
        assertThat(Language.of(Locale.ENGLISH, Map.of("LANG", lang)).getLanguage())
                .isEqualTo(language);
    }

    @Test
    void lcAllCountsForMoreThanLcMessagesAndThatForMoreThanLang() {
        Map<String, String> all = Map.of("LC_ALL", "ja_JP.UTF-8", "LC_MESSAGES", "ko_KR.UTF-8", "LANG", "de_DE");
        Map<String, String> messages = Map.of("LC_ALL", "", "LC_MESSAGES", "ko_KR.UTF-8", "LANG", "ja_JP");
        assertThat(Language.of(Locale.ENGLISH, all)).isEqualTo(Locale.JAPANESE);
        assertThat(Language.of(Locale.ENGLISH, messages)).isEqualTo(Locale.KOREAN);
    }

    @Test
    void whatTheLauncherSetForTheJvmDoesNotCount() {
        Map<String, String> environment = Map.of("LEASEHOLD_LC_ALL", "", "LC_ALL", "C.UTF-8", "LANG", "ja_JP.eucJP");
        assertThat(Language.of(Locale.ENGLISH, environment)).isEqualTo(Locale.JAPANESE);
    }

    @Test
    void whatTheJvmWasToldCountsForMost() {
        assertThat(Language.of(Locale.KOREAN, Map.of("LANG", "ja_JP.UTF-8"))).isEqualTo(Locale.KOREAN);
    }
}
