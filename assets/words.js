/* The page in other languages: one row for each string. English is the text of the page itself; what is in a document, in
   [lang], bdi or [dir=auto], is never translated. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.language) return;
  const KEY = "redstring-language";
  const LANGUAGES = { en: "English", de: "Deutsch", id: "Bahasa Indonesia", ar: "العربية" };
  const ROWS = [
    ["Investigate", "Recherche", "Telusuri", "بحث"],
    ["Check", "Prüfen", "Periksa", "تدقيق"],
    ["Cases", "Fälle", "Perkara", "القضايا"],
    ["Review", "Bewerten", "Tinjau", "مراجعة"],
    ["Corpus", "Korpus", "Korpus", "المدونة"],
    ["Evaluate", "Messen", "Evaluasi", "تقييم"],
    ["No model", "Kein Modell", "Tanpa model", "بلا نموذج"],
    ["Question", "Frage", "Pertanyaan", "السؤال"],
    ["Plan", "Plan", "Rencana", "الخطة"],
    ["Cancel", "Abbrechen", "Batal", "إلغاء"],
    ["Depth", "Tiefe", "Kedalaman", "العمق"],
    ["Auto", "Auto", "Otomatis", "تلقائي"],
    ["Quick", "Schnell", "Cepat", "سريع"],
    ["Balanced", "Ausgewogen", "Seimbang", "متوازن"],
    ["Thorough", "Gründlich", "Teliti", "شامل"],
    ["Detective", "Detektiv", "Detektif", "استقصائي"],
    ["Settings", "Einstellungen", "Pengaturan", "الإعدادات"],
    ["Recent cases", "Letzte Fälle", "Perkara terbaru", "أحدث القضايا"],
    ["Ask a question, or name a provision: “Article 14 of the Agency Code”", "Stellen Sie eine Frage, oder nennen Sie eine Vorschrift: „§ 14 HVG“", "Ajukan pertanyaan, atau sebut ketentuan: “Pasal 14 UU Keagenan”", "اطرح سؤالا أو سم حكما: «المادة 14 من قانون الوكالة»"],
    ["Ask a legal question. See the rule, its exceptions and everything they refer to.", "Stellen Sie eine Rechtsfrage. Sehen Sie die Regel, ihre Ausnahmen und alles, worauf sie verweisen.", "Ajukan pertanyaan hukum. Lihat aturan, pengecualiannya, dan semua yang dirujuknya.", "اطرح سؤالا قانونيا، وشاهد القاعدة واستثناءاتها وكل ما تحيل إليه."],
    ["Redstring searches the whole corpus, follows references, definitions and amendments from what it finds, and shows how each passage was found. No account, no language model needed.", "Redstring durchsucht den ganzen Korpus, folgt Verweisen, Definitionen und Änderungen und zeigt, wie jede Stelle gefunden wurde. Ohne Konto, ohne Sprachmodell.", "Redstring menelusuri seluruh korpus, mengikuti rujukan, definisi, dan perubahan, serta menunjukkan bagaimana setiap bagian ditemukan. Tanpa akun, tanpa model bahasa.", "يبحث Redstring في المدونة كلها، ويتبع الإحالات والتعريفات والتعديلات، ويبين كيف عثر على كل مقطع. بلا حساب وبلا نموذج لغوي."],
    ["As many rounds as the question needs, up to 1,000 passages.", "So viele Runden wie nötig, bis zu 1.000 Stellen.", "Putaran sebanyak yang diperlukan, hingga 1.000 bagian.", "جولات بقدر حاجة السؤال، حتى 1000 مقطع."],
    ["The sources answer this question.", "Die Quellen beantworten die Frage.", "Sumber menjawab pertanyaan ini.", "المصادر تجيب عن هذا السؤال."],
    ["The sources answer part of this question.", "Die Quellen beantworten einen Teil der Frage.", "Sumber menjawab sebagian pertanyaan ini.", "المصادر تجيب عن جزء من السؤال."],
    ["No sentence answers this directly.", "Kein Satz beantwortet dies unmittelbar.", "Tidak ada kalimat yang menjawab langsung.", "لا توجد جملة تجيب مباشرة."],
    ["This corpus does not cover the question.", "Dieser Korpus behandelt die Frage nicht.", "Korpus ini tidak mencakup pertanyaan.", "هذه المدونة لا تتناول السؤال."],
    ["Rule", "Regel", "Aturan", "القاعدة"],
    ["Closest rule", "Nächste Regel", "Aturan terdekat", "أقرب قاعدة"],
    ["Exception", "Ausnahme", "Pengecualian", "الاستثناء"],
    ["Consequence", "Rechtsfolge", "Akibat", "الأثر"],
    ["Time limit", "Frist", "Batas waktu", "المدة"],
    ["Found", "Gefunden", "Ditemukan", "وجد"],
    ["Partly found", "Teilweise gefunden", "Ditemukan sebagian", "وجد جزئيا"],
    ["Not found", "Nicht gefunden", "Tidak ditemukan", "لم يوجد"],
    ["Full answer", "Ganze Antwort", "Jawaban lengkap", "الجواب كاملا"],
    ["A finished example", "Ein fertiges Beispiel", "Contoh yang sudah selesai", "مثال مكتمل"],
    ["Open as a case of your own", "Als eigenen Fall öffnen", "Buka sebagai perkara sendiri", "افتحه كقضية خاصة بك"],
    ["Memo (Word)", "Vermerk (Word)", "Memo (Word)", "مذكرة (Word)"],
    ["Export", "Exportieren", "Ekspor", "تصدير"],
    ["Share", "Teilen", "Bagikan", "مشاركة"],
    ["Shared", "Geteilt", "Dibagikan", "مشاركة مفعلة"],
    ["Compare", "Vergleichen", "Bandingkan", "مقارنة"],
    ["Review this case", "Diesen Fall bewerten", "Tinjau perkara ini", "راجع هذه القضية"],
    ["Board", "Tafel", "Papan", "اللوحة"],
    ["Tree", "Baum", "Pohon", "الشجرة"],
    ["Charts", "Diagramme", "Grafik", "الرسوم"],
    ["Coverage", "Abdeckung", "Cakupan", "التغطية"],
    ["report", "Bericht", "laporan", "تقرير"],
    ["covered", "abgedeckt", "tercakup", "مغطى"],
    ["weak", "schwach", "lemah", "ضعيف"],
    ["missing", "fehlt", "tidak ada", "مفقود"],
    ["Passages", "Stellen", "Bagian", "المقاطع"],
    ["Answer", "Antwort", "Jawaban", "الجواب"],
    ["relevance", "Relevanz", "relevansi", "الصلة"],
    ["document", "Dokument", "dokumen", "الوثيقة"],
    ["filter", "filtern", "saring", "تصفية"],
    ["search", "suchen", "cari", "بحث"],
    ["in force", "in Kraft", "berlaku", "نافذ"],
    ["Search on from here", "Von hier weitersuchen", "Telusuri dari sini", "تابع البحث من هنا"],
    ["Read the whole document", "Ganzes Dokument lesen", "Baca seluruh dokumen", "اقرأ الوثيقة كلها"],
    ["Pin", "Anheften", "Sematkan", "تثبيت"],
    ["Dismiss", "Verwerfen", "Singkirkan", "استبعاد"],
    ["Dismiss with a reason …", "Mit Grund verwerfen …", "Singkirkan dengan alasan …", "استبعاد مع ذكر السبب …"],
    ["Copy citation", "Fundstelle kopieren", "Salin kutipan", "نسخ الإحالة"],
    ["Open in document", "Im Dokument öffnen", "Buka dalam dokumen", "افتح في الوثيقة"],
    ["Scan", "Erste Suche", "Pencarian awal", "البحث الأول"],
    ["Plan:", "Plan:", "Rencana:", "الخطة:"],
    ["Change", "Ändern", "Ubah", "تغيير"],
    ["Finished: all rounds done", "Fertig: alle Runden abgeschlossen", "Selesai: semua putaran tuntas", "انتهى: اكتملت كل الجولات"],
    ["Skip to the passages", "Zu den Stellen springen", "Lompat ke bagian", "انتقل إلى المقاطع"],
    ["Ask this corpus", "Diesen Korpus fragen", "Tanyai korpus ini", "اسأل هذه المدونة"],
    ["Back to the case", "Zurück zum Fall", "Kembali ke perkara", "عودة إلى القضية"],
    ["New corpus", "Neuer Korpus", "Korpus baru", "مدونة جديدة"],
    ["Documents", "Dokumente", "Dokumen", "الوثائق"],
    ["Names", "Namen", "Nama", "الأسماء"],
    ["Areas", "Gebiete", "Bidang", "المجالات"],
    ["Grades", "Ränge", "Tingkat", "الدرجات"],
    ["Statistics", "Statistik", "Statistik", "إحصاءات"],
    ["Report", "Bericht", "Laporan", "تقرير"],
    ["Expand the search", "Suche erweitern", "Perluas pencarian", "توسيع البحث"],
    ["Follow", "Verfolgen", "Ikuti", "تتبع"],
    ["Same document", "Selbes Dokument", "Dokumen yang sama", "الوثيقة نفسها"],
    ["References", "Verweise", "Rujukan", "الإحالات"],
    ["Shared names and terms", "Gemeinsame Namen und Begriffe", "Nama dan istilah bersama", "الأسماء والمصطلحات المشتركة"],
    ["Similar meaning", "Ähnliche Bedeutung", "Makna serupa", "المعنى المشابه"],
    ["Closely connected", "Eng verbunden", "Terhubung erat", "وثيق الصلة"],
    ["Amendments and exceptions", "Änderungen und Ausnahmen", "Perubahan dan pengecualian", "التعديلات والاستثناءات"],
    ["Definitions of terms", "Begriffsbestimmungen", "Definisi istilah", "تعريفات المصطلحات"],
    ["Concepts", "Konzepte", "Konsep", "المفاهيم"],
    ["Links extracted by a model", "Vom Modell erkannte Verweise", "Tautan hasil model", "روابط استخرجها النموذج"],
    ["Whole document", "Ganzes Dokument", "Seluruh dokumen", "الوثيقة كاملة"],
    ["Close coverage gaps", "Lücken schließen", "Tutup celah cakupan", "سد ثغرات التغطية"],
    ["Rounds", "Runden", "Putaran", "الجولات"],
    ["Maximum passages collected", "Höchstzahl gesammelter Stellen", "Jumlah maksimum bagian", "الحد الأقصى للمقاطع"],
    ["Passages to show", "Angezeigte Stellen", "Bagian yang ditampilkan", "المقاطع المعروضة"],
    ["Follow references", "Verweisen folgen", "Ikuti rujukan", "اتجاه الإحالات"],
    ["Law as at", "Rechtsstand", "Hukum per tanggal", "القانون كما في"],
    ["Law as of", "Rechtsstand", "Hukum per tanggal", "القانون كما في"],
    ["Filters", "Filter", "Saringan", "عوامل التصفية"],
    ["More settings", "Weitere Einstellungen", "Pengaturan lain", "إعدادات أخرى"],
    ["Search more", "Weiter suchen", "Cari lagi", "ابحث أكثر"],
    ["Not needed", "Nicht nötig", "Tidak perlu", "غير لازم"],
    ["Add texts", "Texte ergänzen", "Tambah teks", "أضف نصوصا"],
    ["show all", "alle zeigen", "tampilkan semua", "عرض الكل"],
    ["show more", "mehr zeigen", "tampilkan lagi", "عرض المزيد"],
    ["{} of {}", "{} von {}", "{} dari {}", "{} من {}"],
    ["{} more examples", "{} weitere Beispiele", "{} contoh lain", "{} أمثلة أخرى"],
    ["Round {}", "Runde {}", "Putaran {}", "الجولة {}"],
    ["query", "Anfrage", "kueri", "استعلام"],
    ["queries", "Anfragen", "kueri", "استعلامات"],
    ["scan", "erste Suche", "pencarian awal", "البحث الأول"],
    ["reference", "Verweis", "rujukan", "إحالة"],
    ["many paths", "eng verbunden", "terhubung erat", "وثيق الصلة"],
    ["amendment", "Änderung", "perubahan", "تعديل"],
    ["same document", "selbes Dokument", "dokumen yang sama", "الوثيقة نفسها"],
    ["entity", "Name", "nama", "اسم مشترك"],
    ["by a gap query", "durch Nachsuche", "lewat pencarian susulan", "ببحث تكميلي"],
    ["query for a gap", "Nachsuche", "pencarian susulan", "بحث تكميلي"],
    ["selected path", "gewählter Pfad", "jalur terpilih", "المسار المختار"],
    ["topics covered: {} of {}", "Themen belegt: {} von {}", "topik tercakup: {} dari {}", "الموضوعات المغطاة: {} من {}"],
    ["{} passages", "{} Stellen", "{} bagian", "{} مقطعا"],
    ["law as at {}", "Rechtsstand {}", "hukum per {}", "القانون كما في {}"],
    ["Saved in “", "Gespeichert in „", "Disimpan di “", "محفوظة في «"],
    ["now", "jetzt", "sekarang", "الآن"],
    ["{}m ago", "vor {} min", "{} mnt lalu", "قبل {} د"],
    ["{}h ago", "vor {} Std.", "{} jam lalu", "قبل {} س"],
    ["{}d ago", "vor {} Tagen", "{} hari lalu", "قبل {} يوم"],
    ["{} named", "{} benannt", "{} disebut", "{} مسماة"],
    ["{} of {} found", "{} von {} gefunden", "{} dari {} ditemukan", "وجد {} من {}"],
    ["How they relate", "Wie sie zusammenhängen", "Hubungannya", "كيف تترابط"],
    ["Rules", "Regeln", "Aturan", "القواعد"],
    ["{} to check", "{} zu prüfen", "{} perlu diperiksa", "{} للتدقيق"],
    ["The provision it cites", "Die angeführte Vorschrift", "Ketentuan yang dirujuk", "الحكم المحال إليه"],
    ["The {} provisions it cites", "Die {} angeführten Vorschriften", "{} ketentuan yang dirujuk", "الأحكام المحال إليها ({})"],
    ["Read together with", "Zusammen zu lesen mit", "Dibaca bersama", "يقرأ مع"],
    ["The same words as", "Wortgleich mit", "Sama bunyinya dengan", "بالنص نفسه مع"],
    ["{} passages came through this one", "{} Stellen über diese gefunden", "{} bagian lewat bagian ini", "{} مقاطع عبر هذا المقطع"],
    ["{} more trail", "{} weitere Spur", "{} jejak lagi", "مسار آخر ({})"],
    ["{} more trails", "{} weitere Spuren", "{} jejak lagi", "مسارات أخرى ({})"],
    ["not on the question", "passt nicht zur Frage", "bukan soal ini", "خارج السؤال"],
    ["not in force", "nicht in Kraft", "tidak berlaku", "غير نافذ"],
    ["says the same", "sagt dasselbe", "isinya sama", "بالمعنى نفسه"],
    ["another matter", "andere Sache", "perkara lain", "مسألة أخرى"],
    ["score", "Wert", "skor", "الدرجة"],
    ["Show more passages ({})", "Mehr Stellen zeigen ({})", "Tampilkan bagian lain ({})", "عرض مقاطع أخرى ({})"],
    ["· law of {}", "· Rechtsstand {}", "· hukum per {}", "· القانون كما في {}"],
    ["· no gap in the coverage · estimated {}% of relevant passages found ({} to {}%) · {} links not followed · from cache", "· keine Lücke · geschätzt {}% der einschlägigen Stellen gefunden ({} bis {}%) · {} Verweise nicht verfolgt · aus dem Speicher", "· tanpa celah cakupan · perkiraan {}% bagian relevan ditemukan ({} sampai {}%) · {} tautan tidak diikuti · dari cache", "· لا ثغرة في التغطية · عثر على {}% تقديرا من المقاطع ذات الصلة ({} إلى {}%) · {} رابطا لم يتبع · من الذاكرة"],
    ["· no gap in the coverage · estimated {}% of relevant passages found ({} to {}%) · {} links not followed", "· keine Lücke · geschätzt {}% der einschlägigen Stellen gefunden ({} bis {}%) · {} Verweise nicht verfolgt", "· tanpa celah cakupan · perkiraan {}% bagian relevan ditemukan ({} sampai {}%) · {} tautan tidak diikuti", "· لا ثغرة في التغطية · عثر على {}% تقديرا من المقاطع ذات الصلة ({} إلى {}%) · {} رابطا لم يتبع"],
    ["{} documents · {} passages", "{} Dokumente · {} Stellen", "{} dokumen · {} bagian", "{} وثيقة · {} مقطعا"],
    ["documents", "Dokumente", "dokumen", "وثيقة"],
    ["sections", "Abschnitte", "bagian dokumen", "قسما"],
    ["passages", "Stellen", "bagian", "مقطعا"],
    ["references", "Verweise", "rujukan", "إحالة"],
    ["entities and terms", "Namen und Begriffe", "nama dan istilah", "اسما ومصطلحا"],
    ["Changes", "Änderungen", "Perubahan", "التغييرات"],
    ["Outdated references", "Veraltete Verweise", "Rujukan usang", "إحالات قديمة"],
    ["To resolve", "Zu klären", "Perlu diselesaikan", "قيد الحل"],
    ["Review links", "Verweise prüfen", "Tinjau tautan", "مراجعة الروابط"],
    ["Corpora", "Korpora", "Korpus", "المدونات"],
    ["Text to check", "Zu prüfender Text", "Teks untuk diperiksa", "النص المراد تدقيقه"],
    ["Against", "Gegen", "Terhadap", "بالمقارنة مع"],
    ["Lowest grade", "Niedrigster Rang", "Tingkat terendah", "أدنى درجة"],
    ["any", "beliebig", "apa saja", "أي درجة"],
    ["optional", "freiwillig", "opsional", "اختياري"],
    ["Your name, for the log", "Ihr Name, für das Protokoll", "Nama Anda, untuk log", "اسمك للسجل"],
    ["or drop a file: .txt, .md, .docx, .pdf", "oder Datei ablegen: .txt, .md, .docx, .pdf", "atau letakkan berkas: .txt, .md, .docx, .pdf", "أو أفلت ملفا: ‎.txt، .md، .docx، .pdf"],
    ["Each statement is compared with the sources in force and with the provision it cites. Works without a language model.", "Jede Aussage wird mit den geltenden Quellen und der angeführten Vorschrift verglichen. Ohne Sprachmodell.", "Setiap pernyataan dibandingkan dengan sumber yang berlaku dan ketentuan yang dikutip. Tanpa model bahasa.", "تقارن كل عبارة بالمصادر النافذة وبالحكم المستشهد به، بلا نموذج لغوي."],
  ];
  const ATTRIBUTES = ["placeholder", "title", "aria-label"];
  const DOCUMENT = "body [lang], bdi, [dir=auto], .text, .quoted, script, style, textarea";
  const kept = () => { try { return localStorage.getItem(KEY) || "en"; } catch { return "en"; } };
  const chosen = LANGUAGES[kept()] ? kept() : "en";
  const at = Object.keys(LANGUAGES).indexOf(chosen);
  const words = new Map(at > 0 ? ROWS.map((row) => [row[0], row[at]]) : []);

  /* A row has {} for each number and date of a text. */
  const NUMBER = /\d{1,2} [A-Z][a-z]{2} \d{4}|\d+(?:[.,]\d+)*/g;
  const localised = (found) => (found.includes(" ") ? new Date(`${found} UTC`).toLocaleDateString(chosen, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }) : found);
  function word(source) {
    if (!source || words.has(source)) return words.get(source);
    const numbers = source.match(NUMBER);
    return numbers ? words.get(source.replace(NUMBER, "{}"))?.replace(/\{\}/g, () => localised(numbers.shift())) : undefined;
  }
  function text(node) {
    const source = node.data.trim();
    const other = word(source);
    // Setting an equal text would be observed as a change and translated again.
    if (other && other !== source && !node.parentElement?.closest(DOCUMENT)) node.data = node.data.replace(source, other);
  }
  function element(found) {
    ATTRIBUTES.forEach((name) => { const source = found.getAttribute(name), other = word(source); if (other && other !== source) found.setAttribute(name, other); });
  }
  function translate(root) {
    if (root.nodeType === Node.TEXT_NODE) { text(root); return; }
    if (root.nodeType !== Node.ELEMENT_NODE) return;
    element(root);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.nodeType === Node.TEXT_NODE) text(node); else element(node);
  }
  function language(select) {
    select.replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => new Option(name, code, false, code === chosen)));
    select.addEventListener("change", () => {
      try { localStorage.setItem(KEY, select.value); } catch { return; }
      location.reload();
    });
  }
  if (at > 0) {
    document.documentElement.dir = chosen === "ar" ? "rtl" : "ltr";
    document.documentElement.lang = chosen;
    const watch = () => {
      translate(document.body);
      new MutationObserver((changes) => changes.forEach((change) => (change.type === "characterData" ? text(change.target) : change.addedNodes.forEach(translate)))).observe(document.body, { childList: true, subtree: true, characterData: true });
    };
    if (document.body) watch(); else addEventListener("DOMContentLoaded", watch);
  }
  Object.assign(redstring, { language, word: (source) => word(source) || source });
})();
